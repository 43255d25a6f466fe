import { serve } from '../measure/race.ts'
import type { Runner } from '../measure/race.ts'
import { CONTESTANTS } from './contestants.ts'
import { SAMPLES } from './values.ts'

const NAMES = Object.keys(SAMPLES)
const contestants = new Map<string, (value: unknown) => string>()

serve(async (contestant, name): Promise<Runner> => {
  const sample = SAMPLES[name]
  const make = CONTESTANTS[contestant]
  if (sample === undefined || make === undefined) throw new Error(`There is no ${contestant} for ${name}`)
  const write = contestants.get(name) ?? (await make(sample.schema))
  contestants.set(name, write)
  return { answer: () => JSON.parse(write(sample.value)), time: () => time(write, sample.value, name) }
})

/** Nanoseconds of one response: its text and its length, for which a text of many pieces is joined. */
function time(write: (value: unknown) => string, value: unknown, name: string): number {
  const count = name === NAMES[0] ? 5000 : 200
  let length = 0
  const start = process.hrtime.bigint()
  for (let index = 0; index < count; index++) length += Buffer.byteLength(write(value))
  const elapsed = Number(process.hrtime.bigint() - start)
  if (length === 0) throw new Error('nothing was written')
  return elapsed / count
}
