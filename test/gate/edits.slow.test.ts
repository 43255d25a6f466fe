import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'
import type { Comparison } from 'octavo/testing'

import { createForDocuments, documentsOf, EXAMPLES } from '../openapi/examples.ts'
import {
  ADDITIONS,
  DEMANDS,
  descend,
  LOSSES,
  NARROWINGS,
  operationsOf,
  pick,
  REPLACEMENTS,
  REWRITES,
  usesOf,
  WIDENINGS,
} from './edits.ts'
import type { Edited, SchemaEdit, Use } from './edits.ts'
import { createRandom } from './generate.ts'

const EDITS = 300

type Edits = Readonly<Record<string, SchemaEdit>>

const GOOD: Readonly<Record<Use['side'], Edits>> = {
  request: { ...REWRITES, ...WIDENINGS, ...ADDITIONS },
  response: { ...REWRITES, ...NARROWINGS, ...ADDITIONS },
}
const BAD: Readonly<Record<Use['side'], Edits>> = {
  request: { ...NARROWINGS, ...REPLACEMENTS, ...DEMANDS },
  response: { ...WIDENINGS, ...REPLACEMENTS, ...LOSSES },
}

/** Edits somewhere in a document; gives what was done, or nothing if it could not be done. */
function edit(edited: Edited, edits: Readonly<Record<Use['side'], Edits>>): string | undefined {
  const use = pick(usesOf(edited), edited.random)
  if (use === undefined) return undefined
  const { holder, key, isRoot } = descend(use, edited)
  const [name, apply] = pick(Object.entries(edits[use.side]), edited.random) ?? []
  // text that is null has no form in a query
  if (isRoot && use.holder === holder && 'in' in holder && (name === 'null' || name === 'another type'))
    return undefined
  const schema = apply?.(holder[key] as Record<string, unknown>, edited)
  if (schema === undefined) return undefined
  holder[key] = schema
  return `${use.side}: ${name}`
}

function breakOperation({ document, random }: Edited): string | undefined {
  const operation = pick(operationsOf(document), random)
  if (operation === undefined) return undefined
  const { path, method, node } = operation
  const kind = Math.floor(random() * 3)
  if (kind === 0) {
    delete path[method]
    return 'operation removed'
  }
  const parameters = Array.isArray(node['parameters']) ? node['parameters'] : []
  if (kind === 1) {
    node['parameters'] = [
      ...parameters,
      { in: 'query', name: 'zzAdded', required: true, schema: { type: 'string' } },
    ]
    return 'required parameter'
  }
  const responses = node['responses'] as Record<string, unknown>
  const status = Object.keys(responses).find((each) => /^2\d\d$/.test(each))
  if (status === undefined) return undefined
  responses['299'] = responses[status]
  delete responses[status]
  return 'another status'
}

async function play(
  makeEdit: (edited: Edited) => string | undefined,
  judge: (what: string, comparison: Comparison) => string | undefined,
): Promise<readonly string[]> {
  const documents: unknown[] = []
  for (const example of EXAMPLES)
    for (const { document } of await documentsOf(createForDocuments(example, tmpdir())))
      documents.push(document)
  const random = createRandom(11)
  const wrong: string[] = []
  let done = 0
  for (let tries = 0; done < EDITS && tries < EDITS * 50; tries++) {
    const base: unknown = JSON.parse(JSON.stringify(pick(documents, random)))
    const document = structuredClone(base) as Record<string, unknown>
    const what = makeEdit({ document, random })
    if (what === undefined) continue
    done++
    const complaint = judge(what, compareDocuments(base, document))
    if (complaint !== undefined) wrong.push(complaint)
  }
  assert.equal(done, EDITS)
  return wrong
}

const tell = (what: string, { findings }: Comparison): string =>
  `${what}: ${findings.map(({ level, rule, operation, at, message }) => `${level} ${rule} ${operation} ${at}: ${message}`).join('; ') || 'nothing'}`

describe('edits of the documents of the examples', () => {
  it(`${EDITS} compatible ones break nothing`, async () => {
    const wrong = await play(
      (edited) => edit(edited, GOOD),
      (what, comparison) => {
        const isRewrite = Object.keys(REWRITES).some((name) => what.endsWith(`: ${name}`))
        const isWrong = isRewrite ? comparison.findings.length > 0 : comparison.level === 'breaking'
        return isWrong ? tell(what, comparison) : undefined
      },
    )
    assert.deepEqual(wrong, [])
  })

  it(`at least 99 % of ${EDITS} breaking ones are found`, async () => {
    const makeEdit = (edited: Edited): string | undefined =>
      edited.random() < 0.2 ? breakOperation(edited) : edit(edited, BAD)
    const wrong = await play(makeEdit, (what, comparison) =>
      comparison.level === 'breaking' ? undefined : tell(what, comparison),
    )
    assert.ok(wrong.length <= EDITS / 100, wrong.slice(0, 40).join('\n'))
  })
})
