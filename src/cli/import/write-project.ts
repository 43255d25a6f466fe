import { posix } from 'node:path'

import { formatSource, formatStatement, literalText, quotedText, valueText, type Import } from '../format.ts'
import { toCamel, toDistinctName, toDistinctNames, toFileName, toTypeName } from './import-names.ts'
import type { ImportedApi, ImportedOperation } from './read-api.ts'
import type { RouteWriting } from './write-inputs.ts'
import { writeGuards, type Guards } from './write-guards.ts'
import { writeModels } from './write-models.ts'
import { withShortTexts } from './shorten.ts'
import { nameBodies, withBodies } from './shared-bodies.ts'
import { selectServed } from './select-served.ts'
import { startWriting, type ExpectedFinding, type SchemaWriting } from './write-schema.ts'
import {
  findShown,
  prefixOf,
  routeNameOf,
  toControllerGroups,
  writeRoute,
  type ControllerGroup,
} from './write-routes.ts'

/** The files of an imported API. */
export interface ImportedProject {
  /** Texts by path. The files of `api` follow the document, all other files are written once. */
  readonly files: Readonly<Record<string, string>>
  /** The module of the app, if it is not the usual one. */
  readonly app: string | undefined
  readonly expected: readonly ExpectedFinding[]
  readonly version: string
  readonly operations: number
  readonly models: number
}

/** Where files are, from the folder of the project. */
export interface ProjectPlaces {
  /** The folder of the API, such as `src/api`. */
  readonly out: string
  /** The version that requests get that name none. @default that of the document */
  readonly version?: string
}

const HEADER = 'x-api-version'

/** Writes an API as source. Equal documents give equal texts. */
export function writeProject(
  imported: ImportedApi,
  { out, version = toApiVersion(imported.version) }: ProjectPlaces,
): ImportedProject {
  const api = withShortTexts(imported)
  const writing = startWriting(api.schemas, api.host?.constants)
  const named = writeModels(writing)
  const models = [...writing.models].map((name) => writing.constants.get(name) ?? name)
  const title = toApiTitle(api.title)
  const upstream = toCamel(title)
  const isInside = api.host !== undefined
  const apart = upstream === 'api' ? 'upstream' : upstream
  const names = { title, upstream: isInside ? 'host' : apart, version }
  const toImports = createImports(api, out)
  const guards = writeGuards(api)
  const served = selectServed(api.operations, writing)
  writing.place = ''
  if (isInside) noteHost(writing)
  if (api.webhooks !== undefined)
    writing.note(/^webhook-/, 'webhooks are not written: list them in docs.webhooks')
  const whole = Object.assign(writing, { shown: findShown(api), bodies: new Map() })
  const parts = { writing: whole, guards, upstream: names.upstream, isInside, toImports }
  const { controllers, bodies } = writeControllers(toControllerGroups(served), parts)
  const declarations = [...named, ...bodies]
  const hasModels = declarations.length + writing.formats.size > 0
  const own = {
    ...(!hasModels ? {} : { 'models.ts': modelsFile(declarations, writing) }),
    ...(guards.text === '' ? {} : { 'guards.ts': guards.text }),
    ...(isInside ? {} : { 'upstream.ts': upstreamFile(names, api.server) }),
    'history.ts': historyFile(models, toImports(models), names.version),
    ...Object.fromEntries(controllers.map(({ file, text }) => [file, text])),
    ...(isInside ? { 'versions.ts': versionsFile(names, controllers) } : {}),
  }
  const app = posix.join(posix.dirname(out), 'app.ts')
  const around = {
    [app]: appFile(names, controllers, {
      folder: posix.basename(out),
      isStrict: api.operations.some(({ path }) => path.length > 1 && path.endsWith('/')),
    }),
    [posix.join(posix.dirname(out), 'main.ts')]: MAIN,
    'test/api.test.ts': testFile(names, { app, out }, api.operations),
  }
  return {
    files: {
      ...Object.fromEntries(
        Object.entries(own).map(([file, text]) => [posix.join(out, file), withEnding(text, api.host)]),
      ),
      ...(isInside ? {} : around),
    },
    app: isInside ? posix.join(out, 'versions.ts') : undefined,
    expected: writing.expected,
    version: names.version,
    operations: api.operations.length,
    models: models.length,
  }
}

/** Notes the differences between the document of an app of a framework and the one of its versions. */
function noteHost({ note }: SchemaWriting): void {
  note(
    /^response-property-became-optional/,
    'the document of the app has one schema for requests and responses, which always have what has a default',
  )
  note(/^response-media-type/, 'the app does not say what it responds with, so any response fits')
}

interface ProjectNames {
  readonly title: string
  readonly upstream: string
  readonly version: string
}

/** A short title: without words that say that it is an API. */
function toApiTitle(title: string): string {
  const words = title
    .replaceAll(/\b(?:swagger|open-?api|rest|api|apis|the|v?\d[\d.]*)\b/gi, ' ')
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim()
  return words === '' ? 'Api' : words.split(' ').slice(0, 3).join(' ')
}

/** The version of the document if it can be ordered, else 1. */
function toApiVersion(version: string): string {
  const [own] = /^\d+(?:\.\d+){0,2}$|^\d{4}-\d\d(?:-\d\d)?$/.exec(version.replace(/^v/i, '')) ?? ['1']
  return own
}

function modelsFile(declarations: readonly string[], { formats: found }: SchemaWriting): string {
  const formats = [...found].map(([name, text]) => `export const ${name} = ${text}`)
  const code = declarations.map((declaration) => formatStatement(declaration))
  const all = [...formats, ...code].join('\n')
  const imported = [
    ...(/\bderive\(/.test(all) ? ['derive'] : []),
    ...(/\bmodel\(/.test(all) ? ['model'] : []),
  ]
  return formatSource(
    [
      ...(imported.length === 0 ? [] : [[imported, 'octavo/changes'] as const]),
      ...(/\bz\./.test(all) ? [[['z'], 'zod'] as const] : []),
    ],
    [],
    [...(formats.length === 0 ? [] : [formats.join('\n')]), ...code],
  )
}

/** A file whose imports end as those of the app do. */
function withEnding(text: string, host: ImportedApi['host']): string {
  return host === undefined ? text : text.replaceAll(/(from '\.[^']*)\.ts'/g, `$1${host.ending}'`)
}

/** Creates the function that lists where named schemas are imported from: files of an app that has them, or `models.ts`. */
function createImports({ host }: ImportedApi, out: string): (names: readonly string[]) => readonly Import[] {
  return (names) => {
    const files = new Map<string, string[]>()
    for (const name of names.toSorted()) {
      const own = host?.constants[name]
      const path = own === undefined ? './models.ts' : posix.relative(out, own.file)
      const shown = own === undefined || own.constant === name ? name : `${own.constant} as ${name}`
      files.set(path, [...(files.get(path) ?? []), shown])
    }
    return [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([path, own]) => [own, path])
  }
}

interface ControllerParts {
  readonly writing: RouteWriting
  readonly guards: Guards
  readonly upstream: string
  /** Whether the handlers are those of an app of a framework. */
  readonly isInside: boolean
  readonly toImports: ReturnType<typeof createImports>
}

/** A file with a controller. */
interface WrittenController {
  readonly file: string
  readonly constant: string
  readonly text: string
}

/** Writes the controllers, and the declarations of bodies that several routes have. */
function writeControllers(
  groups: readonly ControllerGroup[],
  parts: ControllerParts,
): { readonly controllers: readonly WrittenController[]; readonly bodies: readonly string[] } {
  const { writing, isInside } = parts
  const groupNames = groups.map(({ name }) => name)
  const files = toDistinctNames(groupNames, toFileName)
  const constants = toDistinctNames(groupNames, (name) => `${toCamel(name)}Controller`)
  const drafts = groups.map((group) => {
    const file = `${files.get(group.name) ?? group.name}.controller.ts`
    const constant = constants.get(group.name) ?? group.name
    writing.used.clear()
    return { file, constant, ...draftController(group, constant, parts), named: [...writing.used] }
  })
  // an app of a framework has constants of its own in its files
  const bodies = isInside
    ? new Map<string, string>()
    : nameBodies(writing.bodies, writing.constants, new Set(writing.formats.keys()))
  return {
    controllers: drafts.map((draft) => ({ ...draft, text: controllerFile(draft, bodies, parts) })),
    bodies: [...bodies].map(([text, name]) => `export const ${name} = ${text}`),
  }
}

/** A controller whose bodies are marked. */
interface ControllerDraft {
  readonly code: string
  /** The constants of its guards. */
  readonly guards: readonly string[]
}

function draftController(
  { operations, name }: ControllerGroup,
  constant: string,
  { writing, guards, upstream }: ControllerParts,
): ControllerDraft {
  const prefix = prefixOf(operations)
  const controller = toFileName(name)
  const tags = operations[0]?.tags ?? []
  const used = operations.map((operation) => guards.nameOf(operation))
  const shared = used.every((guard) => guard === used[0]) ? used[0] : undefined
  const taken = new Set<string>()
  const routes = operations.map((operation, at) => {
    const own = toDistinctName(routeNameOf(operation, name), taken)
    taken.add(own)
    writing.place = `${operation.method} ${operation.path}`
    if (operation.callbacks !== undefined) writing.note(/^callback-/, 'callbacks are not written')
    if (guards.isUndeclared(operation))
      writing.note(/^api-security/, 'the document does not declare all of its security schemes')
    const guard = shared === undefined ? used[at] : undefined
    return writeRoute(
      operation,
      {
        name: own,
        prefix,
        guard,
        security: guards.scopesOf(operation),
        upstream,
        tags,
        shownId: `${controller}.${own}`,
      },
      writing,
    )
  })
  const options = literalText({
    prefix: quotedText(prefix),
    name: controller === prefix.slice(1).replaceAll('/', '-') ? undefined : quotedText(controller),
    tags: tags.length === 1 && tags[0] === controller ? undefined : valueText(tags),
    guards: shared && `[${shared}]`,
    routes: `[${routes.join(', ')}]`,
  })
  return {
    code: `export const ${constant} = defineController(${options})`,
    guards: [...new Set(used.filter((guard) => guard !== undefined))].toSorted(),
  }
}

/** The file of a controller. `named` are constants that its routes may name. */
function controllerFile(
  { code: marked, guards, named }: ControllerDraft & { readonly named: readonly string[] },
  bodies: ReadonlyMap<string, string>,
  { upstream, isInside, toImports }: ControllerParts,
): string {
  const code = formatStatement(withBodies(marked, bodies))
  const words = new Set(code.match(/[\w$]+/g))
  return formatSource(
    [
      [['defineController'], 'octavo'],
      ...(/\bderive\(/.test(code) ? [[['derive'], 'octavo/changes'] as const] : []),
      ...(isInside ? [[['host'], 'octavo/inside'] as const] : []),
      ...(/\bz\./.test(code) ? [[['z'], 'zod'] as const] : []),
    ],
    [
      ...(guards.length === 0 ? [] : [[guards, './guards.ts'] as const]),
      ...toImports([...named, ...bodies.values()].filter((name) => words.has(name))),
      ...(isInside ? [] : [[[upstream], './upstream.ts'] as const]),
    ],
    [code],
  )
}

function upstreamFile({ title, upstream }: ProjectNames, server: string | undefined): string {
  const variable = `${toFileName(title).replaceAll('-', '_').toUpperCase()}_URL`
  const [, origin = 'http://localhost:8000', path = ''] =
    /^(https?:\/\/[^/{}]+)?(\/[^{}?#]*)?$/.exec(server ?? '') ?? []
  const segments = path.split('/')
  const prefix = segments.slice(0, segments.findLastIndex((segment) => segment !== '') + 1).join('/')
  const options = literalText({
    name: quotedText(title),
    url: `() => process.env[${quotedText(variable)}] ?? ${quotedText(origin)}`,
    prefix: prefix && quotedText(prefix),
  })
  return formatSource(
    [[['defineUpstream'], 'octavo/upstream']],
    [],
    [formatStatement(`export const ${upstream} = defineUpstream(${options})`)],
  )
}

function historyFile(models: readonly string[], imports: readonly Import[], version: string): string {
  return formatSource([[['defineVersions'], 'octavo/changes']], imports, [
    formatStatement(
      `export const history = defineVersions({ versions: [${quotedText(version)}], models: { ${models.join(', ')} }, changes: [] })`,
    ),
  ])
}

function appFile(
  { title, upstream, version }: ProjectNames,
  controllers: readonly WrittenController[],
  { folder, isStrict }: { readonly folder: string; readonly isStrict: boolean },
): string {
  const name = toTypeName(title)
  const imports = controllers.map(({ file: path, constant }) => [[constant], `./${folder}/${path}`] as const)
  const listed = controllers.map(({ constant }) => constant).join(', ')
  const code = formatSource(
    [[['createApp', 'defineModule', 'defineRouter', 'VersioningSchemes'], 'octavo']],
    [...imports, [['history'], `./${folder}/history.ts`], [[upstream], `./${folder}/upstream.ts`]],
    [
      formatStatement(
        `export const AppModule = defineModule({ name: ${quotedText(`${name}Module`)}, controllers: [${listed}], routers: [defineRouter({ guards: [], mount: ${upstream} })] })`,
      ),
      `/** Creates the app. Tests create their own. */
export function create${name}App(options: Partial<AppOptions> = {}): App {
  return createApp(AppModule, {
    docs: { info: { title: ${quotedText(title)} } },${isStrict ? "\n    trailingSlash: 'strict'," : ''}
    ${versioningText(version).replaceAll('\n', '\n  ')},
    ...options,
  })
}`,
      `export const app = create${name}App()`,
    ],
  )
  return code.replace(" from 'octavo'\n", " from 'octavo'\nimport type { App, AppOptions } from 'octavo'\n")
}

/** The versions of an app of a framework, which has the handlers. */
function versionsFile({ title, version }: ProjectNames, controllers: readonly WrittenController[]): string {
  const listed = controllers.map(({ constant }) => constant).join(', ')
  return formatSource(
    [[['createApp', 'defineModule', 'VersioningSchemes'], 'octavo']],
    [
      ...controllers.map(({ file: path, constant }) => [[constant], `./${path}`] as const),
      [['history'], './history.ts'],
    ],
    [
      `/** The API in its versions. Handlers are those of the app. */
export const versions = createApp(${formatStatement(`defineModule({ controllers: [${listed}] })`)}, {
  docs: { info: { title: ${quotedText(title)} } },
  ${versioningText(version)},
})`,
    ],
  )
}

/** The option `versioning`. */
function versioningText(version: string): string {
  return `versioning: {
    scheme: VersioningSchemes.HEADER,
    headerParameter: '${HEADER}',
    history,
    // requests that name no version keep the one that they were written for
    defaultVersion: ${quotedText(version)},
  }`
}

const MAIN = `import { app } from './app.ts'

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(\`The documents are on \${url}/docs\`)
`

function testFile(
  { title, upstream }: ProjectNames,
  { app, out }: { readonly app: string; readonly out: string },
  operations: readonly ImportedOperation[],
): string {
  const name = `create${toTypeName(title)}App`
  const plain = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'))
  const path = plain?.path ?? '/'
  const code = `describe(${quotedText(title)}, () => {
  // stands in for the API behind
  const fake = (request: Request) => Response.json({ path: new URL(request.url).pathname })
  const app = ${name}({ logger: false, overrides: [bind(${upstream}, fake)] })
  after(() => app.close())

  it('passes requests to the API behind', async () => {
    const response = await app.inject(${quotedText(path)})
    assert.equal(response.statusCode, 200)
    assert.match(response.body, /${path.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}"}$/)
  })

  it('breaks no client of a released version', () => assertCompatible(app, 'api'))
})`
  const imports = formatSource(
    [
      [['bind'], 'octavo'],
      [['assertCompatible'], 'octavo/testing'],
    ],
    [
      [[name], `../${app}`],
      [[upstream], `../${out}/upstream.ts`],
    ],
    [code],
  )
  const start = "import assert from 'node:assert/strict'\nimport { after, describe, it } from 'node:test'\n\n"
  return start + imports
}
