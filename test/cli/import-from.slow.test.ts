import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'

import { createProject, FROM_SOURCE, type Project } from '../support/octavo.ts'

const SCHEMAS = `
// the garage's cars
export const CarSchema = z
  .object({
    id: z.string().OPENAPI({ example: '7' }),
    name: z.string().min(1), // a text, isn't it?
    code: z.string().regex(/^[A-Z'"(]+$/).optional(),
    doors: z.number().int().default(4),
    color: Color,
  })
  .NAME('Car', DESCRIBED)
export const NewCar = CarSchema.omit({ id: true })
export const CarPatch = NewCar.partial()
export const Garage = z.object({ name: z.string(), cars: z.array(CarSchema), first: CarSchema.optional() })
export const Closed = z.object({ reason: z.string() }).strict()
export const ListQuery = z.object({ limit: z.coerce.number().int().max(50).optional(), color: Color.optional() })
export const CarId = z.object({ id: z.string() })
`

const HONO_SCHEMAS = `import { z } from '@hono/zod-openapi'
import { Color } from './parts/color.js'
${SCHEMAS}`
  .replace('OPENAPI', 'openapi')
  .replace('NAME', 'openapi')
  .replace('DESCRIBED', "{ description: 'A car' }")

const COLOR = `import { z } from 'zod'
export const Color = z.enum(['red', 'blue'])
`

const HONO = `import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { CarId, CarPatch, CarSchema, Closed, Garage, ListQuery, NewCar } from './schemas.js'
import { versions } from './stub.js'
import { inside } from 'octavo/inside/hono'

const json = <T>(schema: T) => ({ content: { 'application/json': { schema } } })
const car = { id: '7', name: 'Beetle', doors: 4, color: 'red' as const }
export const app = new OpenAPIHono()
app.use(inside(versions, { app }))
app.openapi(
  createRoute({ method: 'get', path: '/cars', tags: ['cars'], operationId: 'listCars', request: { query: ListQuery }, responses: { 200: { description: 'All cars', ...json(z.array(CarSchema)) } } }),
  (c) => c.json([{ ...car, doors: c.req.valid('query').limit ?? 4 }], 200),
)
app.openapi(
  createRoute({ method: 'post', path: '/cars', tags: ['cars'], request: { body: { required: true, ...json(NewCar) } }, responses: { 201: { description: 'Made', ...json(CarSchema) }, 423: { description: 'Closed', ...json(Closed) } } }),
  (c) => c.json({ ...car, ...c.req.valid('json') }, 201),
)
const one = new OpenAPIHono()
one.openapi(
  createRoute({ method: 'patch', path: '/{id}', tags: ['cars'], request: { params: CarId, body: { required: true, ...json(CarPatch) } }, responses: { 200: { description: 'Changed', ...json(CarSchema) } } }),
  (c) => c.json({ ...car, name: c.req.valid('json').name ?? '', id: c.req.valid('param').id }, 200),
)
one.openapi(
  createRoute({ method: 'delete', path: '/{id}', tags: ['cars'], request: { params: z.object({ id: z.string() }), query: z.object({ force: z.string().optional() }) }, responses: { 204: { description: 'Gone' } } }),
  (c) => c.body(null, 204),
)
app.route('/cars', one)
app.openapi(
  createRoute({ method: 'get', path: '/garage', responses: { 200: { description: 'The garage', ...json(Garage) } } }),
  (c) => c.json({ name: 'G', cars: [car] }, 200),
)
app.get('/health', (c) => c.text('ok'))
`

/** An app before it has versions. */
const STUB = `import { createApp, defineModule } from 'octavo'
export const versions = createApp(defineModule({}))
`

const CHECKS = `import assert from 'node:assert/strict'
import { it } from 'node:test'
import { call } from './call.ts'

it('answers older clients in their names', async () => {
  const list = await call('GET', '/cars?limit=3', '0')
  assert.deepEqual(list, { status: 200, body: [{ id: '7', title: 'Beetle', doors: 3, color: 'red' }] })
  const made = await call('POST', '/cars', '0', { title: 'Bus', color: 'blue' })
  assert.deepEqual(made, { status: 201, body: { id: '7', title: 'Bus', doors: 4, color: 'blue' } })
  const changed = await call('PATCH', '/cars/8', '0', { title: 'Van' })
  assert.deepEqual([changed.status, changed.body.title, changed.body.id], [200, 'Van', '8'])
  const wrong = await call('POST', '/cars', '0', { title: '', color: 'blue' })
  assert.equal(wrong.status, 422)
  assert.match(JSON.stringify(wrong.body), /title/)
  const { body: garage } = await call('GET', '/garage', '0')
  assert.deepEqual(garage, { name: 'G', cars: [{ id: '7', title: 'Beetle', doors: 4, color: 'red' }] })
  assert.equal((await call('GET', '/cars', '1')).body[0].name, 'Beetle')
})
`

const HISTORY = `import { defineVersionChange, defineVersions, reshape } from 'octavo/changes'
import { CarSchema } from '../schemas.js'
const names = defineVersionChange({ version: '1', title: 'A car has a name', change: [reshape({ of: CarSchema, fields: { name: { was: 'title' } } })] })
export const history = defineVersions({ versions: ['1', '0'], models: { CarSchema }, changes: [names] })
`

function runTests({ path }: Project): string {
  return spawnSync(process.execPath, [...FROM_SOURCE, '--test', 'test/versions.test.ts'], {
    cwd: path,
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  }).stdout
}

const FASTIFY_SCHEMAS = `import { z } from 'zod/v4'
import { Color } from './parts/color.ts'
${SCHEMAS}
z.globalRegistry.add(CarSchema, { id: 'Car' })
z.globalRegistry.add(Closed, { id: 'Closed' })
`
  .replace('OPENAPI', 'meta')
  .replace("\n  .NAME('Car', DESCRIBED)", '')

const FASTIFY = `import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { inside } from 'octavo/inside/fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod/v4'
import { CarId, CarPatch, CarSchema, Closed, Garage, ListQuery, NewCar } from './schemas.ts'
import { versions } from './stub.ts'

const car = { id: '7', name: 'Beetle', doors: 4, color: 'red' as const }
const server = Fastify()
server.setValidatorCompiler(validatorCompiler)
server.setSerializerCompiler(serializerCompiler)
await server.register(inside, { versions })
await server.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Garage', version: '2' } }, transform: jsonSchemaTransform, transformObject: jsonSchemaTransformObject })
await server.register(async (plain) => {
  const api = plain.withTypeProvider<ZodTypeProvider>()
  api.get('/', { schema: { tags: ['cars'], operationId: 'listCars', querystring: ListQuery, response: { 200: z.array(CarSchema) } } }, async ({ query }) => [{ ...car, doors: query.limit ?? 4 }])
  api.post('/', { schema: { tags: ['cars'], body: NewCar, response: { 201: CarSchema.describe('Made'), 423: Closed } } }, async ({ body }, reply) => reply.code(201).send({ ...car, ...body }))
  api.patch('/:id', { schema: { tags: ['cars'], params: CarId, body: CarPatch, response: { 200: CarSchema } } }, async ({ body, params }) => ({ ...car, name: body.name ?? '', id: params.id }))
  api.delete('/:id', { schema: { tags: ['cars'], querystring: z.object({ force: z.string().optional() }), response: { 204: z.undefined() } } }, async (_, reply) => void reply.code(204))
}, { prefix: '/cars' })
const typed = server.withTypeProvider<ZodTypeProvider>()
typed.get('/garage', { schema: { response: { 200: Garage } } }, async () => ({ name: 'G', cars: [car] }))
typed.get('/health', async () => 'ok')
export { server }
`

async function checkImported(project: Project, undescribed: string): Promise<void> {
  project.write('src/stub.ts', `export { versions } from './versions/versions.ts'\n`)
  const checked = await project.run('check', 'src/versions/versions.ts', '--inside', 'src/app.ts')
  assert.equal(checked.stdout, `api → the app: no difference that clients notice\n${undescribed}`)
  project.write('src/versions/history.ts', HISTORY)
  assert.equal(await project.compile(['src', 'test/call.ts']), '')
  const tested = runTests(project)
  assert.match(tested, /^# pass 1$/m, tested)
}

describe('octavo import --from', () => {
  const hono = createProject({
    'package.json': '{ "type": "module", "imports": { "#app": "./src/app.ts" } }',
    'src/parts/color.ts': COLOR,
    'src/schemas.ts': HONO_SCHEMAS,
    'src/stub.ts': STUB,
    'src/app.ts': HONO,
    'test/call.ts': `import { app } from '#app'
export async function call(method: string, path: string, version: string, body?: object): Promise<any> {
  const response = await app.request(path, { method, headers: { 'x-api-version': version, 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, body: await response.json() }
}
`,
    'test/versions.test.ts': CHECKS,
  })
  after(hono.remove)

  it('describes an app of @hono/zod-openapi by its own schemas', async () => {
    const { code, stderr } = await hono.run('import', '--from', 'src/app.ts')
    assert.equal(code, 0, stderr)
    assert.equal(
      stderr,
      `Wrote 5 routes and 2 models in src/versions
These objects are models, which changes can reshape:
  CarSchema in src/schemas.ts
  Garage in src/schemas.ts
No module but that of the app exports these schemas, so they are written out:
  DELETE /cars/{id} query
Add this to your app, before its routes:
  import { inside } from 'octavo/inside/hono'
  import { versions } from './versions/versions.js'
  app.use(inside(versions, { app }))
The app differs from the document where zod or Octavo cannot say the same:
  the document of the app has one schema for requests and responses, which always have what has a default. Narrower: the app
    Car
Wrote api/1.json
`,
    )
    const schemas = hono.read('src/schemas.ts')
    assert.match(schemas, /^export const CarSchema = model\('Car', \{\n.*\}, \{ description: 'A car' \}\)$/ms)
    assert.match(schemas, /^export const NewCar = CarSchema\.omit\(\{ id: true \}\)$/m)
    assert.match(schemas, /^export const ListQuery = z\.object/m)
    assert.match(
      hono.read('src/versions/cars.controller.ts'),
      /^ +input: \{ query: ListQuery \},\n +response: z\.array\(CarSchema\),\n +forward: host,$/m,
    )
    await checkImported(hono, 'GET /health has no route in Octavo, so it is the same in every version\n')
  })

  const fastify = createProject({
    'package.json': '{ "type": "module", "imports": { "#app": "./src/app.ts" } }',
    'src/parts/color.ts': COLOR,
    'src/schemas.ts': FASTIFY_SCHEMAS,
    'src/stub.ts': STUB,
    'src/app.ts': FASTIFY,
    'test/call.ts': `import { server } from '#app'
export async function call(method: 'GET' | 'POST' | 'PATCH', path: string, version: string, body?: object): Promise<any> {
  const response = await server.inject({ method, url: path, headers: { 'x-api-version': version }, ...(body && { payload: body }) })
  return { status: response.statusCode, body: response.json() }
}
`,
    'test/versions.test.ts': CHECKS,
  })
  after(fastify.remove)

  it('describes an app of Fastify with zod by its own schemas', async () => {
    const { code, stderr } = await fastify.run('import', '--from', 'src/app.ts')
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stderr, /not expected/)
    assert.match(fastify.read('src/schemas.ts'), /model\('Car', [^]*\}, \{ id: 'Car' \}\)\nexport/)
    assert.doesNotMatch(fastify.read('src/schemas.ts'), /add\(CarSchema/)
    assert.match(
      fastify.read('src/versions/cars.controller.ts'),
      /input: \{ params: CarId, body: CarPatch \}/,
    )
    await checkImported(fastify, '')
  })
})
