/** How long the first documents take: loading what makes them, six versions, and the one for all. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { rotate, summarize } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'

/** The same 400 routes in six versions, or 400 others in each. */
const KINDS = { same: 'the same 400 in all versions', different: '400 others in each version' } as const
export type Kind = keyof typeof KINDS

/** What a process tells. */
export interface Sample {
  /** Milliseconds, loading included. */
  readonly versions: number
  readonly combined: number
  readonly json: number
  readonly operations: number
  readonly bytes: number
}

/** Milliseconds for the documents of all versions. */
const GOAL = 400
const run = promisify(execFile)

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const kinds = (['same', 'different'] as const).map((kind) => ({ kind, samples: [] as Sample[] }))
  // the first round brings the files into the memory of the machine
  for (let round = 0; round < (isQuick ? 4 : 21); round++) {
    for (const { kind, samples } of rotate(kinds, round)) {
      const worker = fileURLToPath(new URL('worker.js', import.meta.url))
      const { stdout } = await run(process.execPath, [worker, kind])
      if (round > 0) samples.push(JSON.parse(stdout) as Sample)
    }
  }
  const [same = 0, different = 0] = kinds.map(({ samples }) => summarize(samples.map(made)).median)
  return {
    title: 'Documents',
    text: [
      `An application of 400 operations in 6 versions, with zod schemas for queries, bodies and responses, creates its first OpenAPI documents. The time covers loading the code, the document of each version, the combined document of all operations, and their JSON. Every sample is a new process. Your application creates each document once and keeps it.`,
      `The goal is ${GOAL} ms for the seven documents. It is ${told(same)} for the first application, and ${told(different)} for the second, which has six times as many schemas.`,
    ],
    tables: [
      {
        caption: 'Milliseconds, without what the application itself took to start',
        columns: ['', 'six versions', 'combined', 'JSON', 'all', 'operations, combined', 'MB of JSON'],
        rows: kinds.map(({ kind, samples }) => [
          KINDS[kind],
          ...(['versions', 'combined', 'json'] as const).map((part) =>
            formatSummary(summarize(samples.map((sample) => sample[part]))),
          ),
          formatSummary(summarize(samples.map(total))),
          String(samples[0]?.operations),
          ((samples[0]?.bytes ?? 0) / 1e6).toFixed(1),
        ]),
      },
    ],
  }
}

function told(median: number): string {
  return `${median < GOAL ? 'met' : 'missed'} with ${median.toFixed(0)} ms`
}

function made({ versions, combined }: Sample): number {
  return versions + combined
}

function total({ versions, combined, json }: Sample): number {
  return versions + combined + json
}
