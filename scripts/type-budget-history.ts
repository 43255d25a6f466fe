/** The application with a history whose types `npm run check -- types:budget` counts: 20 versions, 57 changes, 25 models and 50 operations. */

const VERSIONS = 20
const MODELS = 25
/** The changes are 57, spread over all versions but the oldest. */
export const CHANGES = 57
export const OPERATIONS = 50
export const USED = 10

type Files = Readonly<Record<string, string>>

const FIELDS =
  'id: z.string(), first: z.string(), last: z.string(), status: z.enum(["active", "paused", "closed"]), count: z.number().int()'
const models = Array.from({ length: MODELS }, (_, index) => `M${index}`)
const versions = Array.from({ length: VERSIONS }, (_, index) => String(VERSIONS - index))
const listed = versions.map((version) => `'${version}'`).join(', ')

/** The schemas alone: each is used for its value, as a handler does. */
export const HISTORY_FLOOR: Files = {
  'models.ts': [
    `import { z } from 'zod'`,
    ...models.map((name) => `export const ${name} = z.object({ ${FIELDS} })`),
    ...models.map(
      (name) => `export const use${name} = (value: z.output<typeof ${name}>): number => value.count`,
    ),
  ].join('\n'),
}

type Kind = 'split' | 'id' | 'rename'
const KINDS: readonly Kind[] = ['split', 'id', 'rename']

/** What a change says of a model. */
const RESHAPES: Readonly<Record<Kind, string>> = {
  split: `fields: { name: { was: z.string() }, first: { was: absent }, last: { was: absent } },
    up: ({ name }) => ({ first: name, last: name }), down: ({ first, last }) => ({ name: \`\${first} \${last}\` })`,
  id: `fields: { id: { was: z.number(), up: (old) => String(old), down: (now) => Number(now) } }`,
  rename: `fields: { count: { was: 'total' } }`,
}

/** A third of the changes are of each kind, and no model has two of one kind. */
function kindOf(index: number): Kind {
  return KINDS[(index + Math.floor(index / MODELS)) % KINDS.length] ?? 'rename'
}

function toChange(_: unknown, index: number): string {
  const of = models[index % MODELS] ?? ''
  const version = versions[index % (VERSIONS - 1)] ?? ''
  return `export const change${index} = defineVersionChange({ version: '${version}', title: 'Change ${index}', change: [reshape({ of: ${of}, ${RESHAPES[kindOf(index)]} })${statusAt(index)}] })`
}

/** Every fifth change is of a status, too. */
function statusAt(index: number): string {
  return index % 5 === 0 ? `, operation({ route: 'c.r${index % OPERATIONS}', status: { was: 201 } })` : ''
}

const changes = Array.from({ length: CHANGES }, (_, index) => `change${index}`)

export const HISTORY: Files = {
  'models.ts': [
    `import { model } from 'octavo/changes'`,
    `import { z } from 'zod'`,
    ...models.map((name) => `export const ${name} = model('${name}', { ${FIELDS} })`),
    ...models.map(
      (name) => `export const use${name} = (value: z.output<typeof ${name}>): number => value.count`,
    ),
  ].join('\n'),
  'changes.ts': [
    `import { absent, defineVersionChange, operation, reshape } from 'octavo/changes'`,
    `import { z } from 'zod'`,
    `import { ${models.join(', ')} } from './models.ts'`,
    ...changes.map(toChange),
  ].join('\n'),
  'history.ts': [
    `import { defineVersions } from 'octavo/changes'`,
    `import { ${models.join(', ')} } from './models.ts'`,
    `import { ${changes.join(', ')} } from './changes.ts'`,
    `export const history = defineVersions({ versions: [${listed}], models: { ${models.join(', ')} }, changes: [${changes.join(', ')}] })`,
  ].join('\n'),
}

/** Half of the operations read a model and half send one. */
const routes = Array.from({ length: OPERATIONS }, (_, index) => {
  const model = models[index % MODELS] ?? ''
  return index % 2 === 0
    ? `{ method: 'POST', path: '/r${index}', name: 'r${index}', input: { body: ${model} }, response: ${model}, handler: ({ body }) => body }`
    : `{ method: 'GET', path: '/r${index}', name: 'r${index}', response: z.array(${model}), handler: () => [] }`
})

const HISTORY_APP: Files = {
  ...HISTORY,
  'app.ts': [
    `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'`,
    `import { z } from 'zod'`,
    `import { ${models.join(', ')} } from './models.ts'`,
    `import { history } from './history.ts'`,
    `const c = defineController({ name: 'c', prefix: '/c', routes: [`,
    ...routes.map((route) => `  ${route},`),
    `] })`,
    `export const app = createApp(defineModule({ controllers: [c] }), { versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history } })`,
  ].join('\n'),
}

/** The kinds of changes that a model had. */
function kindsOf(model: number): readonly Kind[] {
  return changes.flatMap((_, index) => (index % MODELS === model ? [kindOf(index)] : []))
}

/** Ten operations of the oldest version, their results used. */
const uses = Array.from({ length: USED }, (_, index) => {
  const kinds = kindsOf(index)
  const id = kinds.includes('id') ? 1 : `''`
  const names = kinds.includes('split') ? `name: ''` : `first: '', last: ''`
  const count = kinds.includes('rename') ? 'total' : 'count'
  const used = (name: string): string =>
    `const id: ${id === 1 ? 'number' : 'string'} = ${name}.id; console.log(id, ${name}.${kinds.includes('split') ? 'name' : 'first'}, ${name}.${count})`
  return index % 2 === 0
    ? `{ const { data } = await client.c.r${index}({ body: { id: ${id}, ${names}, status: 'active', ${count}: 1 } }); ${used('data')} }`
    : `{ const { data } = await client.c.r${index}(); for (const each of data) { ${used('each')} } }`
})

export const HISTORY_CLIENT: Files = {
  ...HISTORY_APP,
  'client.ts': [
    `import { createClient } from 'octavo/client'`,
    `import type { app } from './app.ts'`,
    `const client = createClient<typeof app>({ baseUrl: 'http://localhost' }).at('1')`,
    ...uses,
    `export {}`,
  ].join('\n'),
}
