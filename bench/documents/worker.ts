/** `node worker.js <kind>` prints as JSON how many milliseconds an application takes for its documents, and how large they are. */
import { performance } from 'node:perf_hooks'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import type { Kind, Sample } from './main.ts'

/** Of each, four routes. */
const RESOURCES = 100
const VERSIONS = ['1', '2', '3', '4', '5', '6']

/** Routes as an application has them: a list with filters, one item, and two that take a body. */
function resource(name: string, version: string | string[]) {
  const Address = z.object({ street: z.string(), city: z.string(), zip: z.string().regex(/^\d{5}$/) })
  const New = z.object({
    title: z.string().min(1).max(200),
    amount: z.number().int().min(0),
    kind: z.enum(['small', 'medium', 'large']).default('small'),
    tags: z.array(z.string()).max(20),
    address: Address.optional(),
  })
  const Item = New.extend({ id: z.number().int(), at: z.date() }).meta({ id: name })
  const item = { id: 1, at: new Date(0), title: 't', amount: 1, kind: 'small' as const, tags: [] }
  const query = {
    limit: z.number().int().min(1).max(100).default(20),
    after: z.string().optional(),
    kinds: z.array(z.string()).optional(),
  }
  return defineController({
    name: `${name}Controller`,
    version,
    routes: [
      { method: 'GET', name: 'list', input: { query }, response: z.array(Item), handler: () => [item] },
      { method: 'GET', path: '/{id:int}', name: 'getOne', response: Item, handler: () => item },
      {
        method: 'POST',
        name: 'create',
        input: { body: New },
        response: { 201: Item },
        handler: ({ body }) => ({ ...item, ...body }),
      },
      {
        method: 'PUT',
        path: '/{id:int}',
        name: 'replace',
        input: { body: New },
        response: Item,
        handler: ({ body }) => ({ ...item, ...body }),
      },
    ],
  })
}

const CONTROLLERS = {
  same: () => Array.from({ length: RESOURCES }, (_, index) => resource(`Thing${index}`, VERSIONS)),
  different: () =>
    VERSIONS.flatMap((version) =>
      Array.from({ length: RESOURCES }, (_, index) => resource(`Thing${version}x${index}`, version)),
    ),
} as const satisfies Readonly<Record<Kind, () => readonly object[]>>

const app = createApp(
  defineModule({ controllers: process.argv[2] === 'same' ? CONTROLLERS.same() : CONTROLLERS.different() }),
  { logger: false },
)
app.enableVersioning(VersioningSchemes.URL)
// the application runs, and nobody has asked for a document yet
await app.inject('/v1/nothing')

const start = performance.now()
await app.ready()
const documents = VERSIONS.map((version) => app.openapi({ version }))
const made = performance.now()
const all = app.openapi()
const combined = performance.now()
const bytes = [...documents, all].reduce((sum, each) => sum + JSON.stringify(each).length, 0)
const operations = Object.values(all.paths).reduce((sum, item) => sum + Object.keys(item).length, 0)
const sample: Sample = {
  versions: made - start,
  combined: combined - made,
  json: performance.now() - combined,
  operations,
  bytes,
}
console.log(JSON.stringify(sample))
