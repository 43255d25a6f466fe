import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, it } from 'node:test'

/**
 * The rooms of src in reading order, and the rooms above that each may import, types and `import()` included. A room is a file directly
 * under src or a folder with everything below it that is no room of its own.
 */
const ROOMS: Readonly<Record<string, string>> = {
  'values.ts': '',
  'platform.ts': '',
  'workerd.ts': '',
  'merge-patch.ts': 'values.ts',
  'http.ts': '',
  'async.ts': 'http.ts',
  'edit-distance.ts': '',
  'definition-error.ts': 'edit-distance.ts',
  'place.ts': 'definition-error.ts',
  'check-options.ts': 'values.ts definition-error.ts place.ts',
  'header-text.ts': '',
  'header-name.ts': '',
  'media-type.ts': 'header-text.ts',
  'cookies.ts': 'header-text.ts',
  'file-name.ts': '',
  'stream.ts': 'values.ts http.ts async.ts',
  'errors.ts': 'http.ts platform.ts',
  'added-errors.ts': 'errors.ts',
  path: 'definition-error.ts place.ts',
  versioning: 'values.ts http.ts async.ts definition-error.ts check-options.ts header-text.ts media-type.ts',
  gate: 'values.ts edit-distance.ts file-name.ts',
  router: 'path',
  schema: 'values.ts http.ts header-name.ts async.ts definition-error.ts path',
  define:
    'values.ts http.ts async.ts definition-error.ts stream.ts place.ts errors.ts path versioning schema',
  stores: 'values.ts platform.ts http.ts async.ts define',
  flatten: 'values.ts http.ts async.ts definition-error.ts place.ts path versioning schema define',
  container: 'values.ts http.ts definition-error.ts define flatten',
  request:
    'platform.ts http.ts async.ts header-text.ts header-name.ts media-type.ts cookies.ts file-name.ts errors.ts schema',
  send: 'values.ts http.ts async.ts file-name.ts errors.ts define',
  session:
    'stores values.ts platform.ts http.ts async.ts definition-error.ts check-options.ts cookies.ts errors.ts schema define',
  auth: 'added-errors.ts values.ts http.ts async.ts definition-error.ts place.ts check-options.ts errors.ts schema define flatten',
  middleware:
    'stores added-errors.ts values.ts platform.ts workerd.ts http.ts async.ts definition-error.ts place.ts check-options.ts media-type.ts stream.ts errors.ts define send',
  preconditions:
    'added-errors.ts values.ts http.ts async.ts definition-error.ts check-options.ts errors.ts define send',
  changes:
    'values.ts http.ts header-name.ts async.ts definition-error.ts check-options.ts media-type.ts place.ts errors.ts path versioning schema flatten',
  client: 'changes values.ts http.ts header-name.ts edit-distance.ts errors.ts schema define',
  openapi:
    'values.ts http.ts header-name.ts definition-error.ts errors.ts path versioning schema define flatten',
  'server/logging': 'platform.ts workerd.ts http.ts async.ts versioning define',
  webhooks:
    'stores added-errors.ts values.ts platform.ts workerd.ts http.ts async.ts definition-error.ts place.ts check-options.ts errors.ts versioning schema define flatten changes openapi',
  'server/options':
    'values.ts http.ts async.ts definition-error.ts check-options.ts header-text.ts media-type.ts errors.ts path versioning schema define flatten session openapi server/logging request',
  'server/pipeline':
    'values.ts platform.ts http.ts async.ts definition-error.ts header-text.ts cookies.ts stream.ts errors.ts schema define flatten container request session server/logging server/options',
  'server/table':
    'http.ts definition-error.ts place.ts path versioning router define flatten request server/pipeline',
  'server/lookup':
    'http.ts async.ts errors.ts path versioning router request server/options server/pipeline server/table',
  'server/version-report':
    'platform.ts http.ts async.ts path versioning server/logging server/pipeline server/table server/lookup',
  'server/versioned':
    'http.ts async.ts media-type.ts errors.ts path versioning flatten server/options server/pipeline server/lookup server/table server/version-report',
  'server/dispatch.ts':
    'http.ts async.ts stream.ts path session server/pipeline server/lookup server/version-report',
  'server/adapters/shared': 'http.ts stream.ts errors.ts request server/pipeline',
  'server/adapters/inject':
    'values.ts http.ts async.ts definition-error.ts stream.ts errors.ts versioning define request server/options server/pipeline server/dispatch.ts server/adapters/shared',
  'server/adapters/web': 'http.ts stream.ts errors.ts request server/pipeline server/adapters/shared',
  'server/adapters':
    'http.ts async.ts stream.ts versioning flatten client openapi server/options server/pipeline server/table server/dispatch.ts server/adapters/web',
  'server/adapters/node':
    'values.ts http.ts async.ts definition-error.ts stream.ts errors.ts define request server/options server/pipeline server/dispatch.ts server/adapters/shared',
  'server/health': 'http.ts errors.ts define request server/options server/pipeline server/dispatch.ts',
  'server/docs':
    'values.ts gate changes workerd.ts http.ts header-name.ts async.ts definition-error.ts place.ts errors.ts versioning router schema define flatten send client openapi server/options server/table',
  'server/usage':
    'stores platform.ts values.ts http.ts async.ts stream.ts versioning define flatten server/options server/pipeline server/table server/dispatch.ts',
  otel: 'values.ts platform.ts http.ts async.ts check-options.ts stream.ts errors.ts path versioning define flatten server/logging server/options',
  usage:
    'values.ts async.ts definition-error.ts check-options.ts errors.ts versioning define server/options server/usage',
  pins: 'stores added-errors.ts values.ts http.ts async.ts definition-error.ts check-options.ts errors.ts versioning',
  pages: 'added-errors.ts values.ts http.ts definition-error.ts check-options.ts schema define session',
  idempotency:
    'stores added-errors.ts values.ts platform.ts http.ts async.ts definition-error.ts place.ts check-options.ts stream.ts errors.ts versioning define server/pipeline',
  'server/boot':
    'values.ts platform.ts http.ts async.ts definition-error.ts place.ts errors.ts versioning router schema define flatten container session server/logging server/options server/pipeline server/table server/version-report server/versioned server/dispatch.ts server/health server/usage server/docs',
  'server/process': 'values.ts async.ts define server/logging server/adapters/node server/boot',
  metrics:
    'values.ts platform.ts http.ts async.ts errors.ts check-options.ts path versioning define session server/logging server/process',
  'server/edge':
    'async.ts place.ts versioning define client openapi server/options server/version-report server/adapters/inject server/adapters server/boot',
  'server/app.ts':
    'async.ts place.ts platform.ts define server/logging server/options server/adapters/node server/boot server/process server/edge',
  'server/adapters/undici':
    'http.ts async.ts stream.ts server/pipeline server/dispatch.ts server/adapters/shared server/adapters/inject server/adapters server/app.ts',
  testing:
    'gate file-name.ts values.ts http.ts async.ts changes definition-error.ts define server/adapters/shared server/adapters/inject server/adapters server/edge',
  cli: 'gate file-name.ts values.ts edit-distance.ts versioning schema changes openapi server/options server/version-report server/adapters server/boot server/app.ts',
  'common.ts':
    'added-errors.ts http.ts merge-patch.ts definition-error.ts check-options.ts errors.ts path versioning schema define send session openapi server/logging server/options server/version-report server/adapters/inject server/adapters server/boot server/edge',
  'edge.ts': 'versioning server/edge common.ts',
  'index.ts': 'versioning server/adapters/node server/app.ts common.ts',
}

/** Packages and built-in modules that only some files may import as values, and those files. */
const ONLY: Readonly<Record<string, RegExp>> = {
  '@fastify/busboy': /^request\/multipart\.ts$/,
  '@fastify/send': /^send\/disk\.ts$/,
  keyv: /^session\/memory-store\.ts$/,
  '@opentelemetry/api': /^otel\//,
  jose: /^auth\/jwt\//,
  'node:cluster': /^(?:metrics\/|server\/process\/workers\/)/,
  'node:http': /^server\/adapters\/node\//,
  'node:http2': /^server\/adapters\/node\/http2\//,
  'node:https': /^server\/adapters\/node\//,
  'node:tls': /^server\/adapters\/node\//,
  'prom-client': /^metrics\//,
  radix3: /^router\//,
  undici: /^(?:server\/adapters\/undici|webhooks\/send)\//,
  yaml: /^cli\/read-yaml\.ts$/,
  zod: /^(schema\/schema|changes\/zod|pages\/schemas)\.ts$/,
  'zod-openapi': /^openapi\/schemas\/convert\.ts$/,
  'zod-openapi/api': /^openapi\/schemas\/convert\.ts$/,
  // each takes Bun 1.5 ms to load, so the core does without
  'node:events': /^server\/adapters\/node\//,
  'node:util': /^(?:changes|cli|openapi|testing|server\/adapters\/inject)\//,
}

const MAX_FILES = 21
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
  .filter((path) => path.endsWith('.ts'))
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

/** The longest name in the table that a path begins with; the path itself if there is none. */
function roomOf(path: string): string {
  const names = Object.keys(ROOMS).filter((name) => path === name || path.startsWith(`${name}/`))
  return names.toSorted((a, b) => b.length - a.length)[0] ?? path
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
    Object.entries(ROOMS).map(([room, list]) => [room, list.split(' ').filter(Boolean)]),
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

  it(`have folders of at most ${MAX_FILES} files, and src/server two files`, () => {
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    assert.deepEqual(
      [...counts].filter(([, count]) => count > MAX_FILES),
      [],
    )
    assert.equal(counts.get('server'), 2)
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

  it('have neither any nor a default export', () => {
    const wrong = offences(({ code }) =>
      [/(?:[:<|&,=]|\bas|\bextends)\s*any\b/, /^export default\b|\bas default\b/m].flatMap(
        (pattern) => pattern.exec(code)?.[0] ?? [],
      ),
    )
    assert.deepEqual(wrong, [])
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

  it('names no path of one machine', () => {
    const machinePath = /(?<![\w.~-])(?:\/(?:home|Users|work|root)\/[a-z]|[A-Z]:\\\w)/
    for (const file of listed.filter((name) => existsSync(join(ROOT, name)))) {
      const [found] = machinePath.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
      assert.equal(found, undefined, file)
    }
  })
})
