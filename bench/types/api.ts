/** The API that every framework gets: a third of the routes has parameters in the path, a third a query, a third a body. */
export interface Api {
  readonly groups: readonly Group[]
  /** Whether three handlers read what their input does not have: that must not compile. */
  readonly isWrong: boolean
}

/** Ten routes that are defined in one file. */
export interface Group {
  readonly name: string
  readonly routes: readonly ApiRoute[]
}

/** A route. */
export interface ApiRoute {
  readonly kind: Kind
  readonly name: string
  /** Within its group, with a parameter in colon form. */
  readonly path: string
  /** The name of its schema. */
  readonly schema: string
  /** The type of its answer. */
  readonly answer: string
  /** The expression for its answer, of an expression for its input. */
  readonly toAnswer: (input: string) => string
}

export type Kind = 'params' | 'query' | 'body'

/** Texts of a project, by file name. */
export type Files = Readonly<Record<string, string>>

/** A framework whose type check is measured. */
export interface Framework {
  readonly name: string
  readonly toFiles: (api: Api) => Files
  readonly compilerOptions?: Readonly<Record<string, unknown>>
}

/** What differs between kinds. */
interface KindRow {
  readonly schema: string
  readonly answer: string
  readonly toAnswer: (input: string) => string
}

const KINDS: Readonly<Record<Kind, KindRow>> = {
  params: {
    schema: 'z.object({ id: z.string() })',
    answer: '{ id: string }',
    toAnswer: (input) => `({ id: ${input}.id.toUpperCase() })`,
  },
  query: {
    schema: 'z.object({ text: z.string(), limit: z.coerce.number().int() })',
    answer: '{ text: string; next: number }',
    toAnswer: (input) => `({ text: ${input}.text.trim(), next: ${input}.limit + 1 })`,
  },
  body: {
    schema:
      'z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()), note: z.string().optional() })',
    answer: '{ name: string; age: number; tags: number; note: string | null }',
    toAnswer: (input) =>
      `({ name: ${input}.name.trim(), age: 2026 - ${input}.year, tags: ${input}.tags.length, note: ${input}.note ?? null })`,
  },
}

const ORDER: readonly Kind[] = ['params', 'query', 'body']
const ROUTES = 10

/** An API of so many routes. */
export function toApi(routes: number, isWrong = false): Api {
  const groups = Array.from({ length: routes / ROUTES }, (_, group) => ({
    name: `area${group}`,
    routes: Array.from({ length: ROUTES }, (__, route) => toRoute(group, route, isWrong)),
  }))
  return { groups, isWrong }
}

function toRoute(group: number, route: number, isWrong: boolean): ApiRoute {
  const kind = ORDER[(group * ROUTES + route) % ORDER.length] ?? 'params'
  const { answer, toAnswer } = KINDS[kind]
  return {
    kind,
    name: `route${route}`,
    path: kind === 'params' ? `/items${route}/:id` : `/items${route}`,
    schema: `S${group}_${route}`,
    answer,
    toAnswer: isWrong && group === 0 && route < ORDER.length ? (input) => `${input}.nothing` : toAnswer,
  }
}

/** The declarations of the schemas of a group, of the kinds that need one. */
export function toSchemas({ routes }: Group, kinds: readonly Kind[] = ORDER): string {
  return routes
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, schema }) => `const ${schema} = ${KINDS[kind].schema}`)
    .join('\n')
}

/** A file for each group. */
export function toGroupFiles({ groups }: Api, toText: (group: Group) => string): Files {
  return Object.fromEntries(groups.map((group) => [`${group.name}.ts`, toText(group)]))
}

/** Imports of all groups. */
export function toImports({ groups }: Api): string {
  return groups.map(({ name }) => `import { ${name} } from './${name}.ts'`).join('\n')
}
