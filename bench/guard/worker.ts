/** The process that is measured: `node worker.js <scenario> <contestant> <meter> [requests]` prints what the meter gives, as JSON. */
import { openScenario } from './contestant.ts'
import type { Contestant } from './contestant.ts'
import { measureHeap } from './heap.ts'
import { SCENARIOS } from './scenarios.ts'
import { measureWhere } from './where.ts'
import type { Send } from './wire.ts'
import { measureWork } from './work.ts'

/** What the meter `interpreted` gives: bytes, and tokens by file. */
export interface Interpreted {
  readonly heap: number
  readonly work: Readonly<Record<string, number>>
}

const [name, contestant, meter = '', requests = '0'] = process.argv.slice(2)
const METERS: Readonly<Record<string, (send: Send) => Promise<unknown>>> = {
  heap: (send) => measureHeap(send, Number(requests)),
  // the work first, because the compiler counts blocks only in what it has not compiled yet
  interpreted: async (send): Promise<Interpreted> => ({
    work: await measureWork(send),
    heap: await measureHeap(send, Number(requests)),
  }),
  where: (send) => measureWhere(send, Number(requests)),
  // counted from outside
  none: (send) => send(Number(requests)),
}
const scenario = SCENARIOS.find((candidate) => candidate.name === name)
const measure = METERS[meter]
if (scenario === undefined || measure === undefined) throw new Error(`There is no ${name}, or no ${meter}`)
const result = await measure(await openScenario(scenario, contestant as Contestant))
process.stdout.write(JSON.stringify(result ?? null), () => process.exit())
