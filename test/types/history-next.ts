/** Clients see the state before changes that are not released. */
import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { z } from 'zod'

const Car = model('Car', { year: z.number(), colour: z.string(), city: z.string() })
const unreleased = defineVersionChange({
  version: 'next',
  title: 'Colours have a name',
  change: [reshape({ of: Car, fields: { colour: { was: 'paint' } } })],
})
const cities = defineVersionChange({
  version: 'next',
  title: 'Towns are cities',
  change: [reshape({ of: Car, fields: { city: { was: 'town' } } })],
})
const years = defineVersionChange({
  version: '2',
  title: 'Years are numbers',
  change: [reshape({ of: Car, fields: { year: { was: z.string(), up: Number, down: String } } })],
})
const history = defineVersions({
  versions: ['2', '1'],
  models: { Car },
  changes: [unreleased, cities, years],
})
const CarController = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'GET',
      name: 'get',
      response: Car,
      handler: () => ({ year: 7, colour: 'red', city: 'Ulm' }),
    },
  ],
})
const app = createApp(defineModule({ controllers: [CarController] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
})

export async function use(): Promise<void> {
  const client = createClient<typeof app>({ baseUrl: '' })
  const two = await client.at('2').car.get()
  expectTypeOf(two.data).toEqualTypeOf<{ year: number; paint: string; town: string }>()
  const one = await client.at('1').car.get()
  expectTypeOf(one.data).toEqualTypeOf<{ year: string; paint: string; town: string }>()
  expectTypeOf(history.migrate(Car, { year: 7, colour: 'red', city: 'Ulm' }, { to: '2' })).toEqualTypeOf<{
    year: number
    paint: string
    town: string
  }>()
}

// the value is one of the version that it comes from
history.migrate(Car, { year: '7', paint: 'red', town: 'Ulm' }, { from: '1' })
// @ts-expect-error years were texts
history.migrate(Car, { year: 7, paint: 'red', town: 'Ulm' }, { from: '1' })
// @ts-expect-error a value of the newest models has a colour
history.migrate(Car, { year: 7, paint: 'red', town: 'Ulm' }, {})
expectTypeOf(history.migrate(Car, { year: '7', paint: 'red', town: 'Ulm' }, { from: '1' })).toEqualTypeOf<{
  year: number
  colour: string
  city: string
}>()

const parsed = history.parse(Car, {}, { from: '1' })
expectTypeOf(parsed).toEqualTypeOf<{ year: number; colour: string; city: string }>()
expectTypeOf(history.parse(Car, {}, { from: '1', inject: {} })).toEqualTypeOf<Promise<typeof parsed>>()
expectTypeOf(history.schema(z.array(Car), { version: '1' }).parse([])).toEqualTypeOf<
  { year: string; paint: string; town: string }[]
>()
// @ts-expect-error there is no version 3
history.schema(Car, { version: '3' })
