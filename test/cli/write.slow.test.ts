import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createProject, FROM_SOURCE } from '../support/octavo.ts'
import type { Project } from '../support/octavo.ts'

/** A model with a route of its own, as it is in one version. */
interface State {
  /** The fields of the model, as source text. */
  readonly fields?: string
  /** The value that the route sends. */
  readonly value?: object
  /** The schema of the value, as source text. @default the model */
  readonly parse?: string
  /** The members of the route that reads, as source text. */
  readonly route?: string
}

interface Kind {
  readonly title: string
  /** The name of the model; the route has its name in lower case. */
  readonly model: string
  readonly was: State
  readonly now: State
  /** The file that is written, without its extension; none if no change can be. */
  readonly file?: string
  /** What it holds. */
  readonly code?: string
  /** What is filled in. */
  readonly fill?: readonly (readonly [string, string])[]
  /** What the developer does where no change can be written. */
  readonly mended?: State
}

const PLAIN = { fields: 'text: z.string()', value: { text: 'a' } }

const KINDS: readonly Kind[] = [
  {
    title: 'a renamed property',
    model: 'Renamed',
    was: { fields: 'name: z.string(), size: z.int()', value: { name: 'a', size: 1 } },
    now: { fields: 'title: z.string(), size: z.int()', value: { title: 'a', size: 1 } },
    file: 'name-of-renameds-is-called-title',
    code: "  change: [reshape({ of: Renamed, fields: { title: { was: 'name' } } })],",
  },
  {
    title: 'a removed property',
    model: 'Removed',
    was: { fields: 'text: z.string(), note: z.string()', value: { text: 'a', note: 'none' } },
    now: PLAIN,
    file: 'removeds-no-longer-have-a-note',
    code: `      of: Removed,
      fields: { note: { was: z.string() } },
      down: () => ({ note: fillIn('string') }),
      lossy: ['note'],`,
    fill: [["fillIn('string')", "'none'"]],
  },
  {
    title: 'a new required property',
    model: 'Added',
    was: PLAIN,
    now: { fields: 'text: z.string(), age: z.int()', value: { text: 'a', age: 3 } },
    file: 'addeds-have-an-age',
    code: `      fields: { age: { was: absent } },
      up: () => ({ age: fillIn('number') }),
      lossy: ['age'],`,
    fill: [["fillIn('number')", '0']],
  },
  {
    title: 'a property of another type',
    model: 'Typed',
    was: { fields: 'code: z.int().min(0)', value: { code: 7 } },
    now: { fields: 'code: z.string().regex(/^\\d{1,9}$/)', value: { code: '7' } },
    file: 'code-of-typeds-is-a-string',
    code: 'code: { was: z.int().min(0), up: (old) => String(old), down: (now) => Number(now) }',
  },
  {
    title: 'an enumeration that lost a value',
    model: 'Listed',
    was: { fields: "role: z.enum(['admin', 'member', 'guest'])", value: { role: 'member' } },
    now: { fields: "role: z.enum(['admin', 'member'])", value: { role: 'member' } },
    file: 'role-of-listeds-is-no-longer-guest',
    code: `          was: z.enum(['admin', 'member', 'guest']),
          up: (old) => (old === 'guest' ? fillIn("'admin' | 'member'") : old),`,
    fill: [[`fillIn("'admin' | 'member'")`, "'member'"]],
  },
  {
    title: 'a property that became required',
    model: 'Required',
    was: { fields: 'text: z.string(), nick: z.string().optional()', value: { text: 'a', nick: 'b' } },
    now: { fields: 'text: z.string(), nick: z.string()', value: { text: 'a', nick: 'b' } },
    file: 'nick-of-requireds-is-required',
    code: "nick: { was: z.string().optional(), up: (old) => old ?? fillIn('string') }",
    fill: [["fillIn('string')", "''"]],
  },
  {
    title: 'a property that may be left out',
    model: 'Lacking',
    was: { fields: 'text: z.string(), nick: z.string()', value: { text: 'a', nick: 'none' } },
    now: { fields: 'text: z.string(), nick: z.string().optional()', value: { text: 'a' } },
    file: 'nick-of-lackings-is-optional',
    code: "nick: { was: z.string(), down: (now) => now ?? fillIn('string') }",
    fill: [["fillIn('string')", "'none'"]],
  },
  {
    title: 'a property that can be null',
    model: 'Nullable',
    was: { fields: 'note: z.string()', value: { note: 'none' } },
    // older clients are assumed to pass over a null
    now: { fields: 'note: z.string().nullable()', value: { note: 'none' } },
    file: 'note-of-nullables-can-be-null',
    code: 'note: { was: z.string(), down: asIs }',
  },
  {
    title: 'a stricter property',
    model: 'Bounded',
    was: { fields: 'note: z.string()', value: { note: 'a' } },
    now: { fields: 'note: z.string().max(10)', value: { note: 'a' } },
    file: 'note-of-boundeds-has-at-most-10-characters',
    code: 'note: { was: z.string(), accepted: true }',
    fill: [],
  },
  {
    title: 'a value that was wrapped',
    model: 'Wrapped',
    was: { fields: 'note: z.string()', value: { note: 'a' } },
    now: { fields: 'note: z.object({ text: z.string() })', value: { note: { text: 'a' } } },
    file: 'note-of-wrappeds-is-an-object',
    code: 'up: (old) => ({ text: old }), down: (now) => now.text',
  },
  {
    title: 'a page instead of a list',
    model: 'Paged',
    was: { ...PLAIN, parse: 'z.array(Paged)', value: [{ text: 'a' }] },
    now: {
      ...PLAIN,
      parse: 'z.object({ items: z.array(Paged), total: z.int() })',
      value: { items: [{ text: 'a' }], total: 1 },
    },
    file: 'get-paged-returns-an-object-instead-of-a-list',
    code: `      response: {
        body: {
          200: {
            now: z.object({ items: z.array(Paged), total: z.int() }),
            was: z.array(Paged),
            down: (now) => now.items,
          },
        },
      },`,
  },
  {
    title: 'another request body',
    model: 'Sent',
    was: {
      ...PLAIN,
      route:
        "method: 'PUT', input: { body: z.object({ note: z.string(), nick: z.string().optional() }).optional() }",
    },
    now: {
      ...PLAIN,
      route:
        "method: 'PUT', input: { body: z.object({ note: z.string(), lang: z.string(), alias: z.string().optional() }).optional() }",
    },
    file: 'put-sent-takes-lang-and-alias-instead-of-nick',
    code: `      body: {
        now: z.object({ note: z.string(), lang: z.string(), alias: z.string().optional() }).optional(),
        was: z.object({ nick: z.string().optional(), note: z.string() }).optional(),`,
    fill: [
      ["fillIn('string')", "'en'"],
      ["fillIn('string | undefined')", 'old.nick'],
    ],
  },
  {
    title: 'a list instead of a value',
    model: 'Plural',
    was: { fields: 'tag: z.string()', value: { tag: 'a' } },
    now: { fields: 'tag: z.array(z.string())', value: { tag: ['a'] } },
    file: 'tag-of-plurals-is-a-list',
    code: "down: (now) => (now.length > 1 ? fillIn('string') : now[0] ?? fillIn('string')),",
    fill: [
      ["fillIn('string')", 'now.join()'],
      ["fillIn('string')", "''"],
    ],
  },
  {
    title: 'a name in two parts',
    model: 'Split',
    was: { fields: 'name: z.string()', value: { name: 'Ann Lee' } },
    now: { fields: 'first: z.string(), last: z.string()', value: { first: 'Ann', last: 'Lee' } },
    file: 'splits-have-first-and-last-instead-of-name',
    code: `      fields: { name: { was: z.string() }, first: { was: absent }, last: { was: absent } },
      up: ({ name }) => ({ first: fillIn('string'), last: fillIn('string') }),
      down: ({ first, last }) => ({ name: fillIn('string') }),`,
    fill: [
      ["first: fillIn('string')", "first: name.split(' ')[0] ?? ''"],
      ["last: fillIn('string')", "last: name.split(' ').slice(1).join(' ')"],
      ["name: fillIn('string')", 'name: `${first} ${last}`'],
    ],
  },
  {
    title: 'another status',
    model: 'Status',
    was: { ...PLAIN, route: 'response: { 201: Status }, status: 201' },
    now: { ...PLAIN, route: 'response: { 200: Status }, status: 200' },
    file: 'get-status-answers-200-instead-of-201',
    code: "  change: [operation({ route: 'status.read', status: { was: 201 } })],",
  },
  {
    title: 'another path and method',
    model: 'Moved',
    was: { ...PLAIN, route: "method: 'POST', path: '/old'" },
    now: { ...PLAIN, route: "method: 'PUT', path: '/newer/place'" },
    file: 'post-moved-old-is-now-put-moved-newer-place',
    code: "operation({ route: 'moved.read', path: { was: '/moved/old' }, method: { was: 'POST' } })",
  },
  {
    title: 'a new required parameter',
    model: 'Sorted',
    was: PLAIN,
    now: { ...PLAIN, route: "input: { query: z.object({ sort: z.enum(['name', 'age']) }) }" },
    file: 'the-parameter-sort-is-required-in-get-sorted',
    code: `sort: { was: absent, up: () => fillIn("'name' | 'age'") }`,
    fill: [[`fillIn("'name' | 'age'")`, "'name'"]],
  },
  {
    title: 'a parameter that became required',
    model: 'Sized',
    was: { ...PLAIN, route: 'input: { query: z.object({ size: z.int().optional() }) }' },
    now: { ...PLAIN, route: 'input: { query: z.object({ size: z.int() }) }' },
    file: 'the-parameter-size-is-required-in-get-sized',
    code: "size: { was: z.int().optional(), up: (old) => old ?? fillIn('number') }",
    fill: [["fillIn('number')", '20']],
  },
  {
    title: 'a removed route',
    model: 'Closed',
    was: PLAIN,
    now: { ...PLAIN, route: "path: '/elsewhere', name: 'elsewhere'" },
    mended: { ...PLAIN, route: "version: '<=2'" },
  },
]

function modelText({ model }: Kind, { fields = '' }: State): string {
  return `export const ${model} = model('${model}', { ${fields} })`
}

function controllerText({ model }: Kind, { value, route = '', parse = model }: State): string {
  const name = model.toLowerCase()
  const given = new Set(route.split(/[{,] ?/).map((member) => member.split(':')[0]))
  const members = [`method: 'GET'`, `name: 'read'`, `response: ${parse}`].filter(
    (member) => !given.has(member.split(':')[0] ?? ''),
  )
  return `const ${name} = defineController({
  name: '${name}',
  prefix: '/${name}',
  routes: [
    { ${[...members, ...(route === '' ? [] : [route])].join(', ')}, handler: () => ${parse}.parse(${JSON.stringify(value)}) },
    { method: 'POST', name: 'echo', status: 200, input: { body: ${model} }, response: ${model}, handler: ({ body }) => body },
  ],
})`
}

function projectText(stateOf: (kind: Kind) => State): Readonly<Record<string, string>> {
  const names = KINDS.map(({ model }) => model)
  return {
    'models.ts': `import { model } from 'octavo/changes'
import { z } from 'zod'

${KINDS.map((kind) => modelText(kind, stateOf(kind))).join('\n')}
`,
    'history.ts': `import { defineVersionChange, defineVersions, reshape } from 'octavo/changes'
import { ${names.join(', ')} } from './models.ts'

const sizes = defineVersionChange({
  version: '2',
  title: 'Lengths are sizes',
  change: [reshape({ of: Renamed, fields: { size: { was: 'length' } } })],
})
export const history = defineVersions({
  versions: ['2', '1'],
  // the last one is not listed, though its routes use it
  models: { ${names.filter((name) => name !== 'Split').join(', ')} },
  changes: [sizes],
})
`,
    'app.ts': `import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { z } from 'zod'
import { history } from './history.ts'
import { ${names.join(', ')} } from './models.ts'

${KINDS.map((kind) => controllerText(kind, stateOf(kind))).join('\n')}
export const app = createApp(defineModule({ controllers: [${names.map((name) => name.toLowerCase()).join(', ')}] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
  logger: false,
})
`,
    'probe.js': `import { readFileSync } from 'node:fs'
import { app } from './app.ts'

const answers = []
for (const request of JSON.parse(readFileSync(0, 'utf8'))) {
  const { statusCode, body } = await app.inject(request)
  answers.push({ request, statusCode, body: body === '' ? null : JSON.parse(body) })
}
process.stdout.write(JSON.stringify(answers))
`,
  }
}

/** What clients of both released versions send: what they read, and something that is wrong. */
function requestsOf({ model, was }: Kind): readonly object[] {
  const path = model.toLowerCase()
  return ['1', '2'].flatMap((version) => {
    const { size, ...others } = { size: undefined, ...was.value }
    const body = size === undefined ? others : { ...others, [version === '1' ? 'length' : 'size']: size }
    const url = `/v${version}/${path}`
    const reading = model === 'Moved' ? { method: 'POST', url: `${url}/old` } : { method: 'GET', url }
    return [reading, { method: 'POST', url, json: body }, { method: 'POST', url, json: {} }]
  })
}

interface Answer {
  readonly request: { readonly url: string }
}

function createStated(stateOf: (kind: Kind) => State): Project {
  const files = Object.entries(projectText(stateOf)).map(([name, text]) => [`src/${name}`, text] as const)
  return createProject({
    ...Object.fromEntries(files),
    'package.json': '{ "type": "module", "octavo": { "app": "src/app.ts" } }',
  })
}

const released = createStated(({ was }) => was)
const edited = createStated(({ now }) => now)
const raw = new Map<string, string>()
let answers: readonly Answer[] = []
let original: readonly Answer[] = []
let written = ''

before(async () => {
  assert.equal((await released.run('snapshot')).code, 0)
  original = probe(released)
  cpSync(join(released.path, 'api'), join(edited.path, 'api'), { recursive: true })
})
after(() => {
  released.remove()
  edited.remove()
})

function probe({ path }: Project): readonly Answer[] {
  const { stdout, stderr } = spawnSync(process.execPath, [...FROM_SOURCE, 'src/probe.js'], {
    cwd: path,
    input: JSON.stringify(KINDS.flatMap(requestsOf)),
    encoding: 'utf8',
  })
  assert.ok(stdout.startsWith('['), stderr)
  return JSON.parse(stdout)
}

const WRITTEN = KINDS.filter(({ file }) => file !== undefined)

describe('octavo check --write', () => {
  it('writes a file for each break, and tells what cannot be written', async () => {
    const { code, stdout, stderr } = await edited.run('check', '--write')
    assert.equal(code, 1)
    assert.match(stdout, /^breaking {2}\[1\]/m)
    const files = readdirSync(join(edited.path, 'src/changes'))
    assert.deepEqual(files.toSorted(), WRITTEN.map(({ file }) => `${file ?? ''}.ts`).toSorted(), stderr)
    for (const file of files) raw.set(file, edited.read(`src/changes/${file}`))
    written = stderr
  })

  it('adds them to the history, with the models that it lacks', () => {
    const text = edited.read('src/history.ts')
    assert.match(
      text,
      /^import \{ codeOfTypedsIsAString \} from '\.\/changes\/code-of-typeds-is-a-string\.ts'$/m,
    )
    assert.match(text, /^ {2}models: \{ Split, Renamed, /m)
    assert.match(text, /^ {2}changes: \[.*\bcodeOfTypedsIsAString\b.*, sizes\],$/m)
  })

  it('says what it guesses, what is to be filled in and what no change describes', () => {
    assert.match(written, /Check these guesses\n.*name became title, because both have the same schema/)
    assert.match(written, /src\/changes\/addeds-have-an-age\.ts:\d+ {2}.*\bup: \(\) => \(\{ age: fillIn/)
    assert.match(
      written,
      /You have to write changes by hand for\n {2}GET \/v2\/closed\n {4}restore the route with version: '<=2'/,
    )
  })

  it('is refused by types and by octavo check until it is filled in', async () => {
    const refused = (await edited.compile(['src'])).trim().split('\n')
    for (const line of refused) assert.match(line, /error TS2304: Cannot find name 'fillIn'/)
    const { code, stdout, stderr } = await edited.run('check')
    assert.equal(code, 1)
    assert.doesNotMatch(stdout + stderr, /fillIn is not defined/)
    for (const { file = '', fill = [] } of WRITTEN) {
      const isOpen = fill.length > 0
      assert.equal(
        refused.some((line) => line.startsWith(`src/changes/${file}.ts`)),
        isOpen,
        file,
      )
      assert.equal(stderr.includes(`src/changes/${file}.ts:`), isOpen, stderr)
    }
  })

  it('leaves the check green once it is filled in', async () => {
    for (const { file = '', fill = [] } of WRITTEN) {
      const text = raw.get(`${file}.ts`) ?? ''
      edited.write(
        `src/changes/${file}.ts`,
        fill.reduce((made, [from, to]) => made.replace(from, to), text),
      )
    }
    const app = KINDS.reduce((text, kind) => {
      if (kind.mended === undefined) return text
      const controller = controllerText(kind, kind.mended).replace(/const \w+/, '$&Before')
      const name = kind.model.toLowerCase()
      return text
        .replace(
          'export const app',
          () => `${controller.replace(/^.*name: 'echo'.*\n/m, '')}\nexport const app`,
        )
        .replace(`, ${name}]`, `, ${name}, ${name}Before]`)
    }, edited.read('src/app.ts'))
    edited.write('src/app.ts', app)
    assert.equal(await edited.compile(['src']), '')
    const { code, stdout, stderr } = await edited.run('check')
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /^api → the app: /m)
    assert.equal(stderr, '')
    answers = probe(edited)
  })

  for (const kind of KINDS)
    it(`answers clients of released versions as before: ${kind.title}`, () => {
      const { model, file = '', code } = kind
      if (code !== undefined) {
        const text = raw.get(`${file}.ts`) ?? ''
        assert.ok(text.includes(code), text)
      }
      const own = (list: readonly Answer[]): readonly Answer[] =>
        list.filter(({ request }) => request.url.split('/')[2] === model.toLowerCase())
      assert.equal(own(answers).length, 6)
      assert.deepEqual(own(answers), own(original))
    })

  it('writes nothing where nothing differs', async () => {
    const files = readdirSync(join(edited.path, 'src/changes'))
    assert.equal((await edited.run('check', '--write')).code, 0)
    assert.deepEqual(readdirSync(join(edited.path, 'src/changes')), files)
  })
})
