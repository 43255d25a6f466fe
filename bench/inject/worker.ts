import { serve } from '../measure/race.ts'
import { createFastify } from './fastify.ts'
import { createHono } from './hono.ts'
import { createOctavo } from './octavo.ts'
import { createPlain } from './plain.ts'
import { CALLS } from './requests.ts'
import type { Answer, Call } from './requests.ts'

/** Calls of one measurement, one after the other. */
const COUNT = 200

const CONTESTANTS: Readonly<Record<string, () => Promise<Run> | Run>> = {
  octavo: createOctavo,
  'light-my-request': createPlain,
  'fastify.inject': createFastify,
  'hono app.request': createHono,
}

type Run = (call: Call) => Promise<Answer>

const apps = new Map<string, Run>()

serve(async (contestant, name) => {
  const run = apps.get(contestant) ?? (await CONTESTANTS[contestant]?.())
  const call = CALLS[name]
  if (run === undefined || call === undefined) throw new Error(`There is no ${contestant} for ${name}`)
  apps.set(contestant, run)
  return { answer: () => run(call), time: () => time(run, call) }
})

/** Microseconds of one call. */
async function time(run: Run, call: Call): Promise<number> {
  const start = performance.now()
  for (let count = 0; count < COUNT; count++) await run(call)
  return ((performance.now() - start) * 1000) / COUNT
}
