import { defineProvider } from 'octavo'
import { z } from 'zod'

const PER_EURO = { EUR: 1, GBP: 0.85, JPY: 163.2, USD: 1.08 } as const

export const Currency = z.enum(['EUR', 'GBP', 'JPY', 'USD'])
export type Currency = z.output<typeof Currency>

/** A rate as the third release shows it: decimals as text, for numbers lose digits. */
export const Quote = z.object({ currency: Currency, rate: z.string() })
export type Quote = z.output<typeof Quote>

/** A rate as the second release shows it. */
export const NumericQuote = z.object({ currency: Currency, rate: z.number() })
export type NumericQuote = z.output<typeof NumericQuote>

/** All rates as the first release shows them: currency to rate. */
export const RateMap = z.partialRecord(Currency, z.number())
export type RateMap = z.output<typeof RateMap>

/** An amount as the third release shows it. */
export const Amount = z.object({ amount: z.string(), currency: Currency })
export type Amount = z.output<typeof Amount>

/** An amount as the second release shows it. */
export const NumericAmount = z.object({ amount: z.number(), currency: Currency })
export type NumericAmount = z.output<typeof NumericAmount>

/** What the API is about. It knows the newest release only. */
export const Rates = defineProvider({
  name: 'Rates',
  create: () => {
    const rate = (base: Currency, currency: Currency): string =>
      (PER_EURO[currency] / PER_EURO[base]).toFixed(4)
    return {
      list: (base: Currency): readonly Quote[] =>
        Currency.options
          .filter((currency) => currency !== base)
          .map((currency) => ({ currency, rate: rate(base, currency) })),
      convert: (amount: number, from: Currency, to: Currency): Amount => ({
        amount: (amount * Number(rate(from, to))).toFixed(4),
        currency: to,
      }),
    }
  },
})

// An older release is made from the one after it, so a new release adds one function and changes none.

/** Third release to second. */
export function toNumeric({ currency, rate }: Quote): NumericQuote {
  return { currency, rate: Number(rate) }
}

/** Third release to second. */
export function toNumericAmount({ amount, currency }: Amount): NumericAmount {
  return { amount: Number(amount), currency }
}

/** Second release to first. */
export function toMap(quotes: readonly NumericQuote[]): RateMap {
  return Object.fromEntries(quotes.map(({ currency, rate }) => [currency, rate]))
}
