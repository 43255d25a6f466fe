import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { createForDocuments, documentsOf, EXAMPLES } from '../openapi/examples.ts'
import { createRandom } from './generate.ts'
import { WHOLE } from './rewrites.ts'

const REWRITES = 300

async function readDocuments(): Promise<readonly Record<string, unknown>[]> {
  const texts = [readFileSync('examples/gateway/garage/openapi.json', 'utf8')]
  for (const example of EXAMPLES)
    for (const { document } of await documentsOf(createForDocuments(example, tmpdir())))
      texts.push(JSON.stringify(document))
  return [...new Set(texts)].map((text) => JSON.parse(text) as Record<string, unknown>)
}

const tell = (name: string, document: unknown, rewritten: unknown): readonly string[] =>
  compareDocuments(document, rewritten).findings.map(
    ({ rule, schema, operation, at, message }) => `${name}: ${rule} ${schema ?? operation} ${at}: ${message}`,
  )

describe('documents in other words', () => {
  it(`the documents at hand and ${REWRITES} rewrites of them have no findings`, async () => {
    const documents = await readDocuments()
    const random = createRandom(5)
    const wrong = documents.flatMap((document) => tell('itself', document, structuredClone(document)))
    const ways = Object.entries(WHOLE)
    for (let done = 0; done < REWRITES; done++) {
      const document = documents[Math.floor(random() * documents.length)] ?? {}
      const [name, rewrite] = ways[done % ways.length] ?? ['itself', structuredClone]
      wrong.push(...tell(name, document, JSON.parse(JSON.stringify(rewrite(document, random)))))
    }
    assert.deepEqual(wrong.slice(0, 20), [])
  })
})
