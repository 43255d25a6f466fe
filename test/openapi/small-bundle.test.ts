import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { build, type BuildOptions } from 'esbuild'
import * as octavo from 'octavo'
import type { App } from 'octavo'

type Create = (docs: boolean, given: typeof octavo) => App

const APP = `
const getOne = () => 'one'
async function getAll() {
  return ['one']
}
const routes = [
  { method: 'GET', handler: getAll },
  { method: 'GET', path: '/one', handler: getOne },
  { method: 'GET', path: '/two', handler: () => 'two' },
  { method: 'GET', path: '/three', name: 'three', handler: getOne },
]
export function create(docs, { createApp, defineController, defineModule } = octavo) {
  const cars = defineController({ prefix: '/cars', routes })
  const hidden = defineController({ prefix: '/hidden', includeInSchema: false, routes })
  return createApp(defineModule({ controllers: [cars, hidden] }), { logger: false, ...(docs && { docs: {} }) })
}
`

/** An application of a bundle that esbuild makes small. */
async function bundled(contents: string, options: BuildOptions = {}): Promise<Create> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    conditions: ['octavo-source'],
    // packages of CommonJS require modules of Node
    banner: {
      js: `import { createRequire as _create } from 'node:module'; const require = _create(${JSON.stringify(import.meta.url)})`,
    },
    define: { PAGE_CSS: '""', 'import.meta.url': JSON.stringify(import.meta.url) },
    write: false,
    logLevel: 'silent',
    ...options,
  })
  const code = Buffer.from(outputFiles?.[0]?.contents ?? []).toString('base64')
  // types know the package alone
  return ((await import(`data:text/javascript;base64,${code}`)) as { readonly create: Create }).create
}

const WITH_OCTAVO = `import * as octavo from 'octavo'${APP}`

describe('names of functions in a small bundle', () => {
  for (const [title, contents] of [
    ['with Octavo', WITH_OCTAVO],
    ['without Octavo', `const octavo = {}${APP}`],
  ] as const) {
    it(`are refused in documents, and nowhere else: ${title}`, async () => {
      const create = await bundled(contents)
      const given = title === 'without Octavo' ? octavo : (undefined as never)
      const plain = create(false, given)
      await plain.ready()
      assert.equal((await plain.inject('/cars/one')).json(), 'one')
      const check = (error: unknown): true => {
        const found: readonly octavo.DefinitionProblem[] = Object(error).errors ?? []
        assert.deepEqual(
          found.map(({ where, code }) => [where.replace(/cars\.[\w$]+:|\s\(.*/g, ''), code]),
          [
            [' GET /cars', 'invalid_name'],
            [' GET /cars/one', 'invalid_name'],
          ],
          String(error),
        )
        return true
      }
      assert.throws(() => plain.openapi(), check)
      await assert.rejects(create(true, given).ready(), check)
    })
  }

  it('stay with keepNames', async () => {
    const app = (await bundled(WITH_OCTAVO, { keepNames: true }))(true, undefined as never)
    await app.ready()
    const ids = Object.values(app.openapi().paths ?? {}).flatMap((path) =>
      Object.values(Object(path)).map((operation) => Object(operation).operationId),
    )
    assert.deepEqual(ids, ['cars.getAll', 'cars.getOne', 'cars.getTwo', 'cars.three'])
  })
})
