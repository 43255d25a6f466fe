import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { assertOpenApi } from '../support/openapi.ts'
import { createForDocuments, documentsOf, EXAMPLES } from './examples.ts'
import type { NamedDocument } from './examples.ts'
import { asObject, isObject, METHODS, readDocument } from './fuzz/document.ts'

/** Every reference of a document, with those inside what it refers to. */
function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => referencesIn(each))
  if (!isObject(value)) return []
  const { $ref, ...rest } = value
  // a mapping of a discriminator refers too
  const mapped = Object.values(asObject(asObject(value['discriminator'])['mapping'])).map(String)
  return [...(typeof $ref === 'string' ? [$ref] : []), ...mapped, ...referencesIn(Object.values(rest))]
}

/** The components of a document, as what would refer to them; security schemes are named by operations. */
function componentsOf(document: unknown): readonly string[] {
  return Object.entries(asObject(asObject(document)['components'])).flatMap(([kind, all]) =>
    kind === 'securitySchemes'
      ? []
      : Object.keys(asObject(all)).map((name) => `#/components/${kind}/${name}`),
  )
}

function at(document: unknown, reference: string): unknown {
  let now = document
  for (const segment of reference.split('/').slice(1))
    now = asObject(now)[decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')]
  return now
}

describe('the documents of the examples', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'octavo-documents-'))
  })
  after(() => rm(folder, { recursive: true }))

  for (const example of EXAMPLES) {
    const { name } = example
    describe(name, () => {
      let documents: readonly NamedDocument[] = []
      before(async () => {
        const app = createForDocuments(example, folder)
        documents = await documentsOf(app)
        await app.close()
      })

      it('are OpenAPI 3.1 by its own schema', async () => {
        for (const { version, document } of documents) {
          assert.equal(await assertOpenApi(document, `${name} ${version}`), '3.1')
        }
      })

      // these have all that differs between the two
      if (['shop', 'downloads', 'history-url'].includes(name))
        it('are OpenAPI 3.2 if they are asked to be', async () => {
          const app = createForDocuments(example, folder, { docs: { openapi: '3.2' } })
          const newer = await documentsOf(app)
          await app.close()
          assert.deepEqual(
            newer.map(({ version }) => version),
            documents.map(({ version }) => version),
          )
          for (const { version, document } of newer) {
            assert.equal(await assertOpenApi(document, `${name} ${version}`), '3.2')
            // streams have the schema of an item, and no other
            for (const [, type = '', member] of JSON.stringify(document).matchAll(
              /"(text\/event-stream|application\/x-ndjson)":\{"(\w+)"/g,
            ))
              assert.equal(member, 'itemSchema', `${name} ${version}: ${type}`)
          }
        })

      it('refer to what they have, and have what they refer to', () => {
        for (const { version, document } of documents) {
          const references = new Set(referencesIn(document))
          const broken = [...references].filter((reference) => at(document, reference) === undefined)
          assert.deepEqual(broken, [], `${name} ${version}: references that lead nowhere`)
          const unused = componentsOf(document).filter((component) => !references.has(component))
          assert.deepEqual(unused, [], `${name} ${version}: components that nothing refers to`)
        }
      })

      it('name operations, parameters and security schemes as OpenAPI asks', () => {
        for (const { version, document } of documents) {
          const { operations, schemes } = readDocument(document)
          assert.ok(operations.length > 0 || version === 'all', `${name} ${version}: no operation`)
          const ids = operations.map(({ id }) => id)
          assert.deepEqual(ids, [...new Set(ids)], `${name} ${version}: operationIds`)
          const demanded = new Set(operations.flatMap(({ security }) => security.flat()))
          assert.deepEqual(
            [...demanded].toSorted(),
            [...schemes.keys()].toSorted(),
            `${name} ${version}: schemes`,
          )
          for (const { id, path, fields } of operations) {
            const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter = '']) => parameter)
            const declared = fields.filter((field) => field.in === 'path')
            assert.deepEqual(
              declared.map((field) => field.name).toSorted(),
              inPath.toSorted(),
              `${name} ${version} ${id}: path parameters`,
            )
            assert.ok(
              declared.every(({ isRequired }) => isRequired),
              `${name} ${version} ${id}: path parameters are required`,
            )
            const keys = fields.map((field) => `${field.in} ${field.name}`)
            assert.deepEqual(keys, [...new Set(keys)], `${name} ${version} ${id}: parameters given twice`)
          }
          const items = Object.values(asObject(asObject(document)['paths']))
          const methods = items.flatMap((item) => Object.keys(asObject(item)))
          const unknown = methods.filter((method) => !METHODS.some((known) => known === method))
          assert.deepEqual(unknown, [], `${name} ${version}: methods of path items`)
        }
      })
    })
  }
})
