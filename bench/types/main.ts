import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rotate, summarize } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'
import { toBar } from '../report/summary.ts'
import { toApi } from './api.ts'
import type { Framework } from './api.ts'
import { check, findErrors, writeProject } from './check.ts'
import type { Cost } from './check.ts'
import { elysia, elysiaOwn } from './frameworks/elysia.ts'
import { fastify } from './frameworks/fastify.ts'
import { hono, honoClient } from './frameworks/hono.ts'
import { octavo } from './frameworks/octavo.ts'
import { orpc } from './frameworks/orpc.ts'
import { trpc } from './frameworks/trpc.ts'
import { tsRest } from './frameworks/ts-rest.ts'
import { zod } from './frameworks/zod.ts'

const FRAMEWORKS = [zod, octavo, orpc, trpc, elysia, elysiaOwn, fastify, hono, honoClient, tsRest]
const ROUTES = 200
/** Beside what is compiled, where packages are found. */
const PROJECTS = fileURLToPath(new URL('../../types/', import.meta.url))

interface Contestant {
  readonly name: string
  readonly folder: string
  /** Instantiations with twice the routes. */
  readonly twice: number
  readonly costs: Cost[]
}

/** What the type check of an API costs. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const rounds = isQuick ? 1 : 7
  const contestants: Contestant[] = []
  for (const framework of FRAMEWORKS) contestants.push(await setUp(framework, isQuick))
  for (let round = 0; round < rounds; round++) {
    for (const { folder, costs } of rotate(contestants, round)) costs.push(await check(folder))
  }
  await rm(PROJECTS, { recursive: true })
  return toSection(contestants, rounds)
}

/** Writes the project and makes sure that handlers know their input: what it does not have must not compile. */
async function setUp({ name, toFiles, compilerOptions }: Framework, isQuick: boolean): Promise<Contestant> {
  const folder = join(PROJECTS, name.replaceAll(/\W+/g, '-'))
  await writeProject(folder, toFiles(toApi(ROUTES, true)), compilerOptions)
  const errors = await findErrors(folder)
  const expected = errors.filter((error) => /^\S*area0\.ts.*TS2339.*'nothing'/.test(error))
  if (expected.length !== 3 || errors.length !== 3)
    throw new Error(`${name} does not find the 3 mistakes, but\n${errors.slice(0, 5).join('\n')}`)
  if (!isQuick) await writeProject(folder, toFiles(toApi(2 * ROUTES)), compilerOptions)
  const twice = isQuick ? Number.NaN : (await check(folder)).instantiations
  await writeProject(folder, toFiles(toApi(ROUTES)), compilerOptions)
  return { name, folder, twice, costs: [] }
}

function toSection(contestants: readonly Contestant[], rounds: number): Section {
  const rows = contestants.map(({ name, twice, costs }) => {
    const medianOf = (key: keyof Cost): number => summarize(costs.map((cost) => cost[key])).median
    return { name, twice, medianOf }
  })
  const floor = rows[0]?.medianOf('instantiations') ?? 0
  return {
    title: 'Cost of types',
    text: toText(rounds),
    tables: [
      {
        caption: `The type check of ${ROUTES} routes`,
        columns: [
          'framework',
          'instantiations',
          'above zod alone, for a route',
          `instantiations with ${2 * ROUTES} routes`,
          'types',
          'check, s',
          'whole compiler, s',
          'memory, MB',
        ],
        rows: rows.map(({ name, twice, medianOf }) => [
          name,
          medianOf('instantiations').toLocaleString('en'),
          ((medianOf('instantiations') - floor) / ROUTES).toFixed(0),
          twice.toLocaleString('en'),
          medianOf('types').toLocaleString('en'),
          medianOf('checkSeconds').toFixed(2),
          medianOf('totalSeconds').toFixed(2),
          medianOf('megabytes').toFixed(0),
        ]),
      },
    ],
    charts: [
      {
        name: 'types',
        title: `Type instantiations for ${ROUTES} routes`,
        unit: 'instantiations',
        lessIsBetter: true,
        bars: contestants.map(({ name, costs }) =>
          toBar(name.replaceAll('`', ''), summarize(costs.map(({ instantiations }) => instantiations))),
        ),
      },
    ],
  }
}

function toText(rounds: number): readonly string[] {
  return [
    `Types that are expensive to check slow down your editor and your builds. The same API of ${ROUTES} routes is generated for each framework, in files of ten routes as its documentation recommends. A third of the routes have a path parameter, a third a validated query and a third a validated body. Every handler uses its inferred input. \`zod alone\` has the same schemas, and functions that use their values. If a framework takes the parameter from the path, it has no schema for it.`,
    `TypeScript 7 checks each project with \`--singleThreaded --extendedDiagnostics\`. Instantiations are the types that the checker creates from generic types. They are the same on every machine, and they predict how much work your editor has. Times and memory are medians of ${rounds} rounds. Before that, each framework has to find three mistakes: handlers that read a value that their input doesn't have.`,
    `Each project calls the whole application in the way of its framework: Octavo with a typed \`urlFor\`, oRPC, ts-rest and one of the two projects of Hono through the client, and tRPC on the server. The clients of tRPC and Elysia are separate packages, so they are not included. Fastify has no client. ts-rest requires zod 3 and gets the one in zod 4. Its handlers are typed by \`ServerInferRequest\` and \`ServerInferResponses\` of its core. The second column compares all of them with the schemas of zod 4, although zod 3 and Elysia’s \`t\` are different schemas.`,
  ]
}
