import { defineController, defineModule, VERSION_NEUTRAL } from 'octavo'
import { z } from 'zod'

import {
  Amount,
  Currency,
  NumericAmount,
  NumericQuote,
  Quote,
  RateMap,
  Rates,
  toMap,
  toNumeric,
  toNumericAmount,
} from './rates.ts'

/** What the three releases of the API are called: '1', '2', '3', or the days they came out. */
export interface Releases {
  readonly first: string
  readonly second: string
  readonly third: string
}

const Conversion = {
  params: { from: Currency, to: Currency },
  query: { amount: z.number().positive().default(1) },
}

/** The API in all its releases. Nothing here knows how a version travels. */
export function createRatesModule({ first, second, third }: Releases) {
  const ratesController = defineController({
    name: 'RatesController',
    version: [first, second, third], // of every route that says nothing else
    inject: { rates: Rates },
    routes: [
      // the same in every release: written once
      { method: 'GET', path: '/currencies', name: 'currencies', handler: () => Currency.options },

      // different in each release: a route for each, and the work in one place
      {
        method: 'GET',
        name: 'list',
        version: first,
        response: RateMap,
        handler: ({ inject }) => toMap(inject.rates.list('EUR').map(toNumeric)),
      },
      {
        method: 'GET',
        name: 'list',
        version: second,
        response: z.array(NumericQuote),
        handler: ({ inject }) => inject.rates.list('EUR').map(toNumeric),
      },
      {
        method: 'GET',
        name: 'list',
        version: third,
        input: { query: { base: Currency.default('EUR') } },
        response: z.object({ base: Currency, quotes: z.array(Quote) }),
        handler: ({ query, inject }) => ({ base: query.base, quotes: [...inject.rates.list(query.base)] }),
      },

      // came with the second release, and the third changed one field of it: each says exactly what it sends
      {
        method: 'GET',
        path: '/{from}/{to}',
        name: 'convert',
        version: second,
        input: Conversion,
        response: NumericAmount,
        handler: ({ params, query, inject }) =>
          toNumericAmount(inject.rates.convert(query.amount, params.from, params.to)),
      },
      {
        method: 'GET',
        path: '/{from}/{to}',
        name: 'convert',
        version: third,
        input: Conversion,
        response: Amount,
        handler: ({ params, query, inject }) => inject.rates.convert(query.amount, params.from, params.to),
      },

      // belongs to no release: answers every known version, and requests without one
      {
        method: 'GET',
        path: '/status',
        name: 'status',
        version: VERSION_NEUTRAL,
        handler: (_input, { version }) => ({ open: true, version }),
      },
    ],
  })
  return defineModule({ name: 'RatesModule', providers: [Rates], controllers: [ratesController] })
}
