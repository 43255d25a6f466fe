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
    title: 'What types cost',
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
    `The same API of ${ROUTES} routes for each framework, generated in groups of ten as its documentation recommends, a file for each: a third of the routes has a parameter in the path, a third a validated query, a third a validated body, and every handler uses its input by the types that are inferred for it. \`zod alone\` has the same schemas, and functions that use their values. Where a framework takes the parameter from the path, it has no schema for it.`,
    `Checked by the native compiler, TypeScript 7, with \`--singleThreaded --extendedDiagnostics\`. Instantiations are what the checker makes of generic types; they are the same on every machine. Times and memory are medians of ${rounds} rounds in which the frameworks take turns. Before that, each has to find three mistakes, one of each kind: a handler that reads what its input does not have.`,
    'Each project does with the whole of the application what its framework has for that: octavo a typed `urlFor`, oRPC, ts-rest and one of the two of Hono a call through the client, tRPC a call on the server. The clients of tRPC and Elysia are packages of their own, and not in it; Fastify has none. ts-rest asks for zod 3 and gets the one that zod 4 brings along; its handlers are typed by `ServerInferRequest` and `ServerInferResponses` of its core. zod 3 and Elysia’s `t` are other schemas than those of zod 4, with which the second column compares all.',
  ]
}
