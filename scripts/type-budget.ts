/**
 * Measures what 200 routes cost the type checker above the schemas they use, in type instantiations, and fails above the budget.
 * Instantiations do not depend on the machine. Run with `npm run types:budget`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BUDGET = 120_000
const CONTROLLERS = 10
const ROUTES = 20

const folder = join(import.meta.dirname, '..', 'test', 'types', 'budget')

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

function toFile(controller: number, withRoutes: boolean): string {
  const routes = Array.from({ length: ROUTES }, (_, route) => toRoute(controller, route))
  const schemas = routes.map(({ schema }) => schema).join('\n')
  const uses = routes.map((_, route) => `S${controller}_${route}.shape.year`).join(', ')
  return withRoutes
    ? `import { defineController } from 'octavo'\nimport { z } from 'zod'\n${schemas}\nexport const c${controller} = defineController({ name: 'Area${controller}Controller', prefix: '/area${controller}/{org_id:int}', routes: [\n${routes.map(({ text }) => `  ${text},`).join('\n')}\n] })\n`
    : `import { z } from 'zod'\n${schemas}\nexport const used${controller} = [${uses}]\n`
}

function measure(kind: 'floor' | 'routes'): number {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const names = Array.from({ length: CONTROLLERS }, (_, index) => `c${index}`)
  for (const [index, name] of names.entries())
    writeFileSync(join(folder, `${name}.ts`), toFile(index, kind === 'routes'))
  const app = `${names.map((name) => `import { ${name} } from './${name}.ts'`).join('\n')}
import { createApp, defineModule } from 'octavo'
const app = createApp(defineModule({ controllers: [${names.join(', ')}] }))
export const url: string = app.urlFor('area3.route5', { org_id: 1, item_id: 2 })
`
  if (kind === 'routes') writeFileSync(join(folder, 'app.ts'), app)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['.'] }),
  )
  const output = execFileSync('npx', ['tsc', '-p', join(folder, 'tsconfig.json'), '--extendedDiagnostics'], {
    encoding: 'utf8',
  })
  return Number(/Instantiations:\s+(\d+)/.exec(output)?.[1])
}

try {
  const floor = measure('floor')
  const cost = measure('routes') - floor
  console.log(
    `${CONTROLLERS * ROUTES} routes: ${cost} type instantiations over the schemas' ${floor} (budget ${BUDGET})`,
  )
  if (!(cost <= BUDGET)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
