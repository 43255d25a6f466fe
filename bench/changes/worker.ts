import { serve } from '../measure/race.ts'
import type { Runner } from '../measure/race.ts'
import { LISTS, openSmall, SMALL } from './contestants.ts'

const REQUESTS = 2000
const CONVERSIONS = 200

serve(async (contestant): Promise<Runner> => {
  const convert = LISTS[contestant]
  if (convert !== undefined) return { answer: () => 'a list', time: () => timeList(convert) }
  const send = await openSmall(SMALL[contestant])
  return {
    answer: () => 'the same body',
    time: async () => {
      const start = process.hrtime.bigint()
      await send(REQUESTS)
      return Number(process.hrtime.bigint() - start) / REQUESTS / 1000
    },
  }
})

/** Microseconds of one conversion. */
function timeList(convert: () => number): number {
  let length = 0
  const start = process.hrtime.bigint()
  for (let index = 0; index < CONVERSIONS; index++) length += convert()
  const elapsed = Number(process.hrtime.bigint() - start)
  if (length === 0) throw new Error('nothing was converted')
  return elapsed / CONVERSIONS / 1000
}
