/**
 * Measures what 200 routes, their application and a typed `urlFor` cost the type checker above the schemas they use, in type
 * instantiations, and what it costs with a client of them that is used, with and without a version, and fails above the budgets. Instantiations do not depend on
 * the machine. Run with `npm run check -- types:budget`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { CHANGES, HISTORY, HISTORY_CLIENT, HISTORY_FLOOR, OPERATIONS, USED } from './type-budget-history.ts'

const BUDGET = 120_000
/** What a typed client and its calls may cost above that. */
const CLIENT_BUDGET = 35_000
/** What models, changes and versions may cost above the schemas of the models. */
const HISTORY_BUDGET = 75_000
/** The same with an application, and a client of its oldest version that is used. */
const OLDEST_BUDGET = 190_000
const CONTROLLERS = 10
const ROUTES = 20

const root = join(import.meta.dirname, '..')
// as the tests do, out of sight of the other checks
const folder = join(root, '.test', String(process.pid))
const tsc = join(root, 'node_modules', '.bin', 'tsc')

/** Half of the routes have a body, half a query; every third declares a response, some by status. */
function toRoute(controller: number, route: number): { readonly schema: string; readonly text: string } {
  const name = `S${controller}_${route}`
  const schema = `const ${name} = z.object({ id: z.string(), name: z.string(), year: z.number().int(), tags: z.array(z.string()) })`
  const path = `path: '/items${route}/{item_id:int}', name: 'route${route}'`
  const response =
    route % 6 === 0
      ? `, response: ${name}`
      : route % 6 === 3
        ? `, response: { 200: ${name}, 404: z.string() }`
        : ''
  const result =
    response === ''
      ? 'params.item_id'
      : `({ id: String(params.item_id), name: '', year: params.org_id, tags: [] })`
  return route % 2 === 0
    ? {
        schema,
        text: `{ method: 'POST', ${path}, version: '${(route % 3) + 1}', input: { body: ${name} }${response}, handler: ({ params, body }) => body.year > 0 ? ${result} : ${result} }`,
      }
    : {
        schema,
        text: `{ method: 'GET', ${path}, input: { query: { limit: ${name}.shape.year, q: ${name}.shape.name } }${response}, handler: ({ params, query }) => query.limit > 0 ? ${result} : ${result} }`,
      }
}

/** Schemas alone: each is used for its value, as a handler does. */
function toFloor(controller: number): string {
  const routes = Array.from({ length: ROUTES }, (_, route) => toRoute(controller, route))
  const uses = routes.map((_, route) => {
    const name = `S${controller}_${route}`
    return `export const use${name} = (value: z.output<typeof ${name}>): number => value.year`
  })
  return [`import { z } from 'zod'`, ...routes.map(({ schema }) => schema), ...uses].join('\n')
}

function toController(controller: number): string {
  const routes = Array.from({ length: ROUTES }, (_, route) => toRoute(controller, route))
  return [
    `import { defineController } from 'octavo'`,
    `import { z } from 'zod'`,
    ...routes.map(({ schema }) => schema),
    `export const c${controller} = defineController({ name: 'Area${controller}Controller', prefix: '/area${controller}/{org_id:int}', routes: [`,
    ...routes.map(({ text }) => `  ${text},`),
    `] })`,
  ].join('\n')
}

const names = Array.from({ length: CONTROLLERS }, (_, index) => `c${index}`)
const app = `${names.map((name) => `import { ${name} } from './${name}.ts'`).join('\n')}
import { createApp, defineModule } from 'octavo'
export const app = createApp(defineModule({ controllers: [${names.join(', ')}] }))
export const url: string = app.urlFor('area3.route5', { org_id: 1, item_id: 2 })
`

/** Two calls of each controller, their results used: a route with a body that declares statuses, and one with a query. */
const uses = names.flatMap((_, controller) => [
  `{
  const answer = await client.area${controller}.route${6 * (controller % 3)}({ params: { org_id: 1, item_id: '${controller}' }, body: { id: '', name: '', year: 1, tags: [] } })
  const years: number = answer.data.year
  console.log(years)
}`,
  `{
  const answer = await client.area${controller}.route${6 * (controller % 3) + 3}({ params: { org_id: 1, item_id: 2 }, query: { limit: 1, q: '' } })
  const text: string = answer.status === 200 ? answer.data.name : answer.data
  console.log(text)
}`,
])
/** The clients that make the calls: one that knows no version, and one of a version. */
const clients = {
  'without version': `createClient<typeof app>({ baseUrl: 'http://localhost' })`,
  'of a version': `createClient<typeof app, '1'>({ baseUrl: 'http://localhost', version: '1' })`,
}

function toClient(made: string): string {
  return `import { createClient } from 'octavo/client'
import type { app } from './app.ts'
const client = ${made}
${uses.join('\n')}
`
}

/** Users see the declarations that are published, not our source. */
const config = {
  extends: '../../../tsconfig.json',
  compilerOptions: {
    customConditions: [],
    paths: {
      octavo: ['../octavo/index.d.ts'],
      'octavo/changes': ['../octavo/changes/index.d.ts'],
      'octavo/client': ['../octavo/client/index.d.ts'],
    },
  },
  include: ['.'],
}

/** Type-checks the files with one checker, for several count what they share several times. */
function count(files: Readonly<Record<string, string>>): number {
  const place = join(folder, 'project')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) })) {
    writeFileSync(join(place, name), text)
  }
  const output = execFileSync(tsc, ['-p', place, '--singleThreaded', '--extendedDiagnostics'], {
    encoding: 'utf8',
  })
  return Number(/Instantiations:\s+(\d+)/.exec(output)?.[1])
}

function filesOf(toText: (controller: number) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, index) => [`${name}.ts`, toText(index)]))
}

try {
  execFileSync(tsc, [
    '-p',
    join(root, 'scripts/tsconfig.build.json'),
    '--emitDeclarationOnly',
    '--declarationMap',
    'false',
    '--outDir',
    join(folder, 'octavo'),
  ])
  const floor = count(filesOf(toFloor))
  const cost = count({ ...filesOf(toController), 'app.ts': app }) - floor
  console.log(
    `${CONTROLLERS * ROUTES} routes: ${cost} type instantiations over the schemas' own ${floor} (budget ${BUDGET})`,
  )
  const more = Object.entries(clients).map(([name, made]) => {
    const files = { ...filesOf(toController), 'app.ts': app, 'client.ts': toClient(made) }
    const extra = count(files) - floor - cost
    console.log(`${uses.length} calls of a client ${name}: ${extra} more (budget ${CLIENT_BUDGET})`)
    return extra
  })
  const bare = count(HISTORY_FLOOR)
  const history = count(HISTORY) - bare
  console.log(
    `a history of ${CHANGES} changes: ${history} type instantiations over the schemas' own ${bare} (budget ${HISTORY_BUDGET})`,
  )
  const oldest = count(HISTORY_CLIENT) - bare
  console.log(
    `${USED} of ${OPERATIONS} operations in a client of its oldest version: ${oldest} with it (budget ${OLDEST_BUDGET})`,
  )
  if (!(history <= HISTORY_BUDGET && oldest <= OLDEST_BUDGET)) process.exitCode = 1
  if (!(cost <= BUDGET) || !more.every((extra) => extra <= CLIENT_BUDGET)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
