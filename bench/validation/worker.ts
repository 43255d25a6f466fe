import { serve } from '../measure/race.ts'
import { CONTESTANTS } from './contestants.ts'
import type { Outcome } from './contestants.ts'
import { SAMPLES } from './values.ts'
import type { Kind, Sample } from './values.ts'

/** So few that they are still in the processor's cache, as a body is that was just parsed. */
const BATCH = 50
const BATCHES = 20

serve((contestant, name) => {
  const entries = Object.entries(SAMPLES) as [Kind, readonly Sample[]][]
  const found = entries.flatMap(([kind, samples]) =>
    samples.filter((sample) => sample.name === name).map((sample) => ({ kind, sample })),
  )[0]
  const validate = found && CONTESTANTS[contestant]?.(found.kind)
  if (found === undefined || validate === undefined) throw new Error(`There is no ${contestant} for ${name}`)
  const { make, problems } = found.sample
  return {
    answer: () => check(validate(make()), problems),
    time: () => time(validate, make, problems.length === 0),
  }
})

function check(outcome: Outcome, problems: readonly string[]): unknown {
  // some make records without prototype: what is in them counts
  if ('value' in outcome) return JSON.parse(JSON.stringify(outcome.value))
  const paths = [...new Set(outcome.paths())].toSorted()
  if (paths.join() !== problems.join()) throw new Error(`Problems at ${paths.join()}`)
  return paths
}

/** Nanoseconds of one validation. */
function time(validate: (value: unknown) => Outcome, make: () => unknown, isValid: boolean): number {
  let elapsed = 0n
  for (let batch = 0; batch < BATCHES; batch++) {
    const values = Array.from({ length: BATCH }, make)
    let valid = 0
    const start = process.hrtime.bigint()
    for (const value of values) if ('value' in validate(value)) valid += 1
    elapsed += process.hrtime.bigint() - start
    if (valid !== (isValid ? BATCH : 0)) throw new Error('an outcome is wrong')
  }
  return Number(elapsed) / (BATCH * BATCHES)
}
