import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, it } from 'node:test'

/**
 * The rooms of src in reading order, each with the rooms above that it may import, types and `import()` included. A room is a file or folder of
 * src, or several side by side, with everything below that is no room of its own.
 */
const ROOMS: Readonly<Record<string, string>> = {
  // doesn't know HTTP, schemas or definitions, only their mistakes and where they stand
  base: '',
  // doesn't know routes, versions or where a request comes from
  http: 'base',
  // doesn't know versions, schemas or handlers: a leaf is a value to it
  router: 'base',
  // doesn't know routes or documents: it reads a request and compares versions
  versioning: 'base http',
  // doesn't know applications: it compares documents as they are
  gate: 'base http',
  // doesn't know which source or response a schema belongs to
  schema: 'base http router',
  // doesn't know how definitions are served: types and checks of one definition alone
  define: 'base http router versioning schema',
  // doesn't know servers or documents: definitions become routes
  routes: 'base http router versioning schema define',
  // doesn't know servers: values of one version become values of another
  changes: 'base http router versioning schema define routes',
  // doesn't know the server: types of an application, and requests over fetch
  client: 'base http schema define changes',
  // doesn't know who asks for a document
  openapi: 'base http router versioning schema define routes',
  // doesn't know routes, and how a request is served
  'server/logging': 'base http versioning define',
  // doesn't know routes and versions: the bytes of requests, results and sessions
  'server/request server/response server/session server/stores': 'base http schema define',
  // doesn't know how an option is used
  'server/options': 'base http router versioning schema define routes openapi server/logging server/request',
  // doesn't know requests beyond their scope
  'server/container': 'base define routes',
  // doesn't know paths and versions: it serves the route that was found
  'server/pipeline':
    'base http schema define routes server/logging server/request server/options server/container',
  // doesn't know sockets: it finds the route of a request in its version
  'server/routing server/dispatch.ts':
    'base http router versioning define routes server/request server/options server/pipeline',
  // doesn't know sockets: routes of Octavo's own
  'server/services server/docs':
    'base http router versioning schema define routes client openapi server/request server/options server/pipeline server/routing',
  // doesn't know how an application is built
  'server/adapters':
    'base http versioning define routes client openapi server/request server/options server/pipeline server/routing',
  // doesn't know the extensions
  'server/app server/process':
    'base http router versioning schema define routes client openapi server/logging server/request server/options server/container server/pipeline server/routing server/services server/adapters',
  // doesn't know the command, and nothing outside imports from here
  extensions:
    'base http router versioning schema define routes changes client openapi server/logging server/request server/options server/pipeline server/routing server/services server/adapters server/app',
  // doesn't know how an application is built
  testing: 'base http gate define changes server/adapters server/app',
  // knows an application by its public members, and what documents show
  cli: 'base http versioning gate schema changes openapi server/options server/routing server/adapters server/app',
  // the entry points, and what both share
  'index.ts edge.ts exports.ts':
    'base http router versioning schema define openapi server/logging server/request server/options server/routing server/adapters server/app',
}

/** The room of each folder or file that the table names. */
const ROOM_OF: ReadonlyMap<string, string> = new Map(
  Object.keys(ROOMS).flatMap((room) => room.split(' ').map((name) => [name, room] as const)),
)

/** Packages and built-in modules that only some files may import as values, and those files. */
const ONLY: Readonly<Record<string, RegExp>> = {
  '@fastify/busboy/deps/dicer/lib/Dicer.js': /^server\/request\/multipart\.ts$/,
  '@fastify/send': /^server\/response\/disk\.ts$/,
  '@opentelemetry/api': /^extensions\/otel\//,
  jose: /^extensions\/auth\/jwt\//,
  'node:cluster': /^(?:extensions\/metrics\/|server\/process\/workers\/)/,
  'node:http': /^(?:server\/adapters\/node|extensions\/engine)\//,
  'node:http2': /^server\/adapters\/node\/http2-server/,
  'node:https': /^server\/adapters\/node\//,
  'node:tls': /^server\/adapters\/node\//,
  'prom-client': /^extensions\/metrics\//,
  radix3: /^router\//,
  undici: /^extensions\/(?:undici|upstream|webhooks\/send)\//,
  yaml: /^cli\/read-yaml\.ts$/,
  zod: /^(schema\/schema|changes\/zod|extensions\/pages\/schemas)\.ts$/,
  'zod-openapi': /^openapi\/schemas\/convert\.ts$/,
  'zod-openapi/api': /^openapi\/schemas\/convert\.ts$/,
  // each takes Bun 1.5 ms to load, so the core does without
  'node:events': /^(?:server\/adapters\/node|extensions\/engine)\//,
  'node:util': /^(?:changes|cli|openapi|testing|server\/adapters\/inject)\//,
}

const MAX_FILES = 21
const MAX_ROOMS = 24
const ROOT = join(import.meta.dirname, '..')

interface SourceFile {
  /** Relative to src. */
  readonly path: string
  readonly room: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

interface Import {
  /** As written. */
  readonly from: string
  readonly isType: boolean
  /** The file of src that it leads to; `undefined` for packages. */
  readonly file: string | undefined
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.startsWith('cli/init/template/'))
  .map(toSourceFile)

function toSourceFile(path: string): SourceFile {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8')
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, '')
  const found = code.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return {
    path,
    room: roomOf(path),
    code,
    imports: [...found].map(([, type, from, bare, later]): Import => {
      const specifier = from ?? bare ?? later ?? ''
      const file = specifier.startsWith('.') ? join(dirname(path), specifier) : undefined
      return { from: specifier, isType: type !== undefined, file }
    }),
  }
}

/** The room of the longest name in the table that a path begins with; the path itself if there is none. */
function roomOf(path: string): string {
  const names = [...ROOM_OF.keys()].filter((name) => path === name || path.startsWith(`${name}/`))
  const [longest = path] = names.toSorted((a, b) => b.length - a.length)
  return ROOM_OF.get(longest) ?? path
}

/** Lists what is wrong in the files, one line for each offence. */
function offences(of: (file: SourceFile) => readonly string[]): readonly string[] {
  return files.flatMap((file) => of(file).map((offence) => `${file.path}: ${offence}`))
}

/** The circles of imports, each as the list of its files (Tarjan's algorithm). */
function findCircles(): readonly (readonly string[])[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: (readonly string[])[] = []
  const visit = (path: string): number => {
    const number = order.size
    let low = number
    order.set(path, number)
    stack.push(path)
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file === undefined || !byPath.has(file)) continue
      if (!order.has(file)) low = Math.min(low, visit(file))
      else if (stack.includes(file)) low = Math.min(low, order.get(file) ?? low)
    }
    lowest.set(path, low)
    if (low === number) {
      const circle = stack.splice(stack.indexOf(path))
      if (circle.length > 1) circles.push(circle)
    }
    return low
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return circles
}

describe('the rooms of src', () => {
  const names = Object.keys(ROOMS)
  const allowed = new Map(
    Object.entries(ROOMS).map(([room, list]) => [room, list.split(' ').filter(Boolean).map(roomOf)]),
  )

  it('are all listed, and all there', () => {
    assert.deepEqual([...new Set(files.map(({ room }) => room))].toSorted(), names.toSorted())
  })

  it('name only rooms above them', () => {
    const below = [...allowed].flatMap(([room, list]) =>
      list.filter((name) => !(names.indexOf(name) < names.indexOf(room))).map((name) => `${room}: ${name}`),
    )
    assert.deepEqual(below, [])
  })

  it('name no room that they do not import', () => {
    const unused = [...allowed].flatMap(([room, list]) => {
      const used = new Set(
        files
          .filter((file) => file.room === room)
          .flatMap(({ imports }) => imports.map(({ file }) => file && roomOf(file))),
      )
      return list.filter((name) => !used.has(name)).map((name) => `${room}: ${name}`)
    })
    assert.deepEqual(unused, [])
  })

  it('import only from the rooms above', () => {
    const wrong = offences(({ room, imports }) =>
      imports.flatMap(({ file }) => {
        const other = file === undefined ? room : roomOf(file)
        return other === room || allowed.get(room)?.includes(other) === true ? [] : [`imports ${other}`]
      }),
    )
    assert.deepEqual(wrong, [])
  })

  it(`are at most ${MAX_ROOMS}`, () => assert.ok(names.length <= MAX_ROOMS))

  it('lead into the extensions from nowhere', () => {
    assert.deepEqual(
      [...allowed].filter(([, list]) => list.includes('extensions')),
      [],
    )
  })

  it(`have folders of at most ${MAX_FILES} files, src 18 entries and src/server one file`, () => {
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    assert.deepEqual(
      [...counts].filter(([, count]) => count > MAX_FILES),
      [],
    )
    assert.equal(counts.get('server'), 1)
    assert.equal(readdirSync(join(ROOT, 'src')).length, 18)
  })
})

describe('the files of src', () => {
  it('are seen', () => assert.ok(files.length > 50 && files.some(({ imports }) => imports.length > 5)))

  it('import in no circle', () => {
    assert.deepEqual(findCircles(), [])
  })

  it('import files that exist, by names that end in .ts', () => {
    const wrong = offences(({ imports }) =>
      imports.flatMap(({ from, file }) =>
        file === undefined || (file.endsWith('.ts') && existsSync(join(ROOT, 'src', file))) ? [] : [from],
      ),
    )
    assert.deepEqual(wrong, [])
  })

  it('leave packages to the files that they belong to', () => {
    const wrong = offences(({ path, imports }) =>
      imports.flatMap(({ from, isType }) => (isType || (ONLY[from]?.test(path) ?? true) ? [] : [from])),
    )
    assert.deepEqual(wrong, [])
  })

  it('import late in turn, because Jest links a file that two imports share for one of them alone', () => {
    // what a user names, or Node has, is none of ours
    const free = /^(?:cli\/|server\/app\/config-module|base\/platform|server\/request\/content-coding)/
    const wrong = offences(({ path, code }) =>
      free.test(path)
        ? []
        : (code.replaceAll(/importInTurn\(\s*\(\) =>\s*import\(/g, '').match(/.*\bimport\(.*/g) ?? []),
    )
    assert.deepEqual(wrong, [])
  })

  it('abort by controllers, because signals of AbortSignal.any and AbortSignal.timeout outlive their requests', () => {
    const found = files.filter(({ code }) => /AbortSignal\.(?:any|timeout)\(/.test(code))
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    )
  })

  it('have neither any nor a default export', () => {
    const wrong = offences(({ code }) =>
      [/(?:[:<|&,=]|\bas|\bextends)\s*any\b/, /^export default\b|\bas default\b/m].flatMap(
        (pattern) => pattern.exec(code)?.[0] ?? [],
      ),
    )
    assert.deepEqual(wrong, [])
  })
})

describe('the folders of test', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const [, section = ''] = /^## The folders of `test`$([\s\S]*?)^## /m.exec(page) ?? []
  const rows = [...section.matchAll(/^\| (`.+?) +\| (.+?) +\|$/gm)].map(([, room = '', tests = '']) => ({
    room,
    tests,
  }))
  const namesIn = (text: string): readonly string[] =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

  it('are named for each room of src', () => {
    assert.deepEqual(
      rows.map(({ room }) => namesIn(room).join(' ')),
      Object.keys(ROOMS),
    )
    for (const { room, tests } of rows) assert.ok(namesIn(tests).length > 0, room)
  })

  it('are all named, and all there', () => {
    const others = section.slice(section.lastIndexOf('|'))
    const named = [...rows.flatMap(({ tests }) => namesIn(tests)), ...namesIn(others)]
    const entries = readdirSync(join(ROOT, 'test')).filter((name) => name !== 'architecture.test.ts')
    assert.deepEqual([...new Set(named)].toSorted(), entries.toSorted())
  })
})

describe('the repository', () => {
  // a copy without history has no list of its files
  const listed = existsSync(join(ROOT, '.git'))
    ? execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    : []

  it('locks packages without the address of a registry', () => {
    for (const file of listed.filter((name) => name.endsWith('package-lock.json')))
      assert.doesNotMatch(readFileSync(join(ROOT, file), 'utf8'), /"resolved":\s*"https?:/, file)
  })

  it('names files of src in the tests of one folder alone, so that moving a file is one edit', () => {
    const naming = listed
      .filter((path) => path.startsWith('test/') && path.endsWith('.ts') && existsSync(join(ROOT, path)))
      .filter((path) => /\bfrom '(?:\.\.\/)+src\//.test(readFileSync(join(ROOT, path), 'utf8')))
      .filter((path) => !path.startsWith('test/inside/'))
    // one compares an entry point with its file
    assert.deepEqual(
      naming.filter((path) => path !== 'test/runner/plan.test.ts'),
      [],
    )
  })

  it('names no path of one machine', () => {
    const machinePath = /(?<![\w.~-])(?:\/(?:home|Users|work|root)\/[a-z]|[A-Z]:\\\w)/
    // the bytes of a picture can look like anything
    const texts = listed.filter((name) => !name.endsWith('.png') && existsSync(join(ROOT, name)))
    for (const file of texts) {
      const [found] = machinePath.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
      assert.equal(found, undefined, file)
    }
  })
})
