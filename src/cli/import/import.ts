import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, posix, relative, resolve, sep } from 'node:path'

import {
  commandLine,
  failure,
  FORMAT,
  InputError,
  say,
  usageError,
  sayStyle,
  type Arguments,
  type Command,
  type Outcome,
  type Setting,
} from '../command.ts'
import { readGivenDocument } from '../gate/read-document.ts'
import type { ComparedSource } from '../../gate/document/source.ts'
import { formatCode } from '../run-formatter.ts'
import { packedOrigin, projectFiles, toPackageName } from '../init/project.ts'
import { readFileText, writeFiles } from '../write-file.ts'
import { finishImport } from './finish-import.ts'
import { readHostApi, sayHost, type HostApi } from './import-host.ts'
import { readApi, toPlainDocument, type ImportedApi } from './read-api.ts'
import { updateProject } from './update.ts'
import { writeProject } from './write-project.ts'

export const importApi: Command = {
  summary: 'write an app in front of an API that has an OpenAPI document',
  usage: '[<document>] [options]',
  about: [
    'Writes models, controllers, a history, the upstream, an app, a test and the first snapshot from an OpenAPI document,',
    '3.0 to 3.2, in JSON or YAML. Then it compares what the app serves with the document, in both directions. With',
    '--update, it adds what is new in the document to your files, and writes the change that older versions need.',
    'With --from, it describes an app of @hono/zod-openapi or fastify-type-provider-zod instead, by the schemas that it has.',
  ],
  examples: [
    'octavo import openapi.yaml',
    'octavo import openapi.json --out src/shop',
    'octavo import openapi.yaml --update',
    'octavo import --from src/main.ts',
  ],
  positionals: 1,
  options: {
    from: { value: '<module>', about: 'the module that exports your Hono or Fastify app' },
    out: {
      value: '<folder>',
      short: 'o',
      about: 'the folder of the API (src/api, with --from src/versions)',
    },
    update: { about: 'update an API that was imported before. Your edits stay' },
    force: { about: 'replace files that exist' },
    'allow-files': { about: 'follow references to files outside of the folder of the document' },
    format: FORMAT,
  },
  run: async (given, setting) => {
    const from = given.value('from')
    const [document = from] = given.positionals
    if (document === undefined || (from !== undefined && given.positionals.length > 0))
      throw usageError('pass a document or --from: octavo import openapi.yaml')
    const folder = given.value('out') ?? (from === undefined ? 'src/api' : 'src/versions')
    const out = relative(setting.cwd, resolve(setting.cwd, folder)).split(sep).join('/')
    if (out === '' || out.startsWith('..') || !out.includes('/'))
      throw usageError(`--out ${folder} cannot be used`, 'write a folder below another one, such as src/api')
    const read = await readGiven(document, given, setting)
    const { api, source, edited } = read
    if (api.operations.length === 0) throw new InputError(document, `${document} has no operations`)
    const again = commandLine(['import', ...(from === undefined ? [] : ['--from']), document, '--out', out])
    if (!given.has('update')) return writeApi(read, { out, again, isForced: given.has('force') }, setting)
    const kept = posix.join(out, KEPT)
    const before = await readFileText(join(setting.cwd, kept))
    if (before === undefined) throw failure(`${kept} doesn't exist`, `run ${again} first`)
    await writeFiles(await formatCode(edited, setting.cwd))
    const { isJson } = given
    return updateProject({ before, text: toKeptText(api), kept, api, source, out, isJson }, setting)
  },
}

/** An API to import. */
interface ReadApi {
  readonly api: ImportedApi
  /** The document that the app is compared with, if there is one. */
  readonly source: ComparedSource | undefined
  /** Files that exist and change. */
  readonly edited: HostApi['edited']
}

async function readGiven(document: string, given: Arguments, setting: Setting): Promise<ReadApi | HostApi> {
  if (given.has('from')) return readHostApi(document, setting)
  const isKeptInside = !given.has('allow-files')
  const { source } = await readGivenDocument(document, { app: undefined, setting, isKeptInside })
  return { api: readApi(source), source, edited: [] }
}

/** Writes an API for the first time. */
async function writeApi(
  read: ReadApi | HostApi,
  { out, again, isForced }: { readonly out: string; readonly again: string; readonly isForced: boolean },
  setting: Setting,
): Promise<Outcome> {
  const { api, source, edited } = read
  const project = writeProject(api, { out })
  const files = { ...project.files, ...basicFiles(setting), [posix.join(out, KEPT)]: toKeptText(api) }
  const paths = Object.keys(files)
  if (!isForced) failIfWritten(paths, setting.cwd)
  const texts = Object.entries(files).map(([path, own]) => ({ path: join(setting.cwd, path), text: own }))
  await writeFiles(await formatCode([...edited, ...texts], setting.cwd))
  const { green } = sayStyle()
  say(`${green('Wrote')} ${project.operations} routes and ${project.models} models in ${out}`)
  const added = 'description' in read ? [sayHost(read, out)] : []
  const made = { routes: project.operations, models: project.models, files: paths }
  if (isInstalled(setting.cwd, api)) {
    const outcome = await finishImport(project, api, source, setting)
    const { result, next = [] } = outcome
    return { ...outcome, result: { ...made, ...result }, next: [...added, ...next] }
  }
  const next = [
    { text: 'install the packages', run: 'npm install' },
    { text: 'compare the app with the document', run: `npx ${again} --update` },
  ]
  say(['Next:', ...next.map(({ run }) => `  ${run}`)].join('\n'))
  return { result: made, next: [...added, ...next] }
}

function toKeptText(api: ImportedApi): string {
  return `${JSON.stringify(toPlainDocument(api), undefined, 2)}\n`
}

/** The document that was imported last, from which `--update` tells what is new. */
const KEPT = 'openapi.json'

/** The files of a project that has none yet. */
function basicFiles({ cwd, main, manifest }: Setting): Readonly<Record<string, string>> {
  if (existsSync(join(cwd, 'package.json'))) return {}
  const options = { name: toPackageName(basename(cwd)), manifest, origin: packedOrigin(main, cwd) }
  const files = projectFiles(main, options)
  const undici = manifest.devDependencies['undici'] ?? '^7.0.0'
  const basic = {
    'package.json': (files['package.json'] ?? '').replace(
      /^( *)"tsx": .*$/m,
      (line, indent: string) => `${line}\n${indent}"undici": ${JSON.stringify(undici)},`,
    ),
    'tsconfig.json': files['tsconfig.json'] ?? '',
    '.gitignore': files['.gitignore'] ?? '',
  }
  return Object.fromEntries(Object.entries(basic).filter(([path]) => !existsSync(join(cwd, path))))
}

/** @throws `CommandError` if a file exists */
function failIfWritten(paths: readonly string[], cwd: string): void {
  const found = paths.filter((path) => existsSync(join(cwd, path)))
  if (found.length === 0) return
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  throw failure(
    `${found.slice(0, 3).join(', ')}${more} exist`,
    'pass --update to update an imported API, or --force to replace these files',
  )
}

/** Whether the app can be loaded. */
function isInstalled(cwd: string, { host }: ImportedApi): boolean {
  const { resolve: find } = createRequire(join(cwd, 'package.json'))
  return ['octavo', 'zod', ...(host === undefined ? ['undici'] : [])].every((name) => {
    try {
      find(name)
      return true
    } catch {
      return false
    }
  })
}
