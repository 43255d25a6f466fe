import { extname, relative, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import {
  commandLine,
  FORMAT,
  say,
  usageError,
  sayStyle,
  type Arguments,
  type Command,
  type Outcome,
} from './command.ts'
import { toPlainJson } from '../gate/json.ts'
import { askApp, type NamedDocuments, type Wanted } from './app-process.ts'
import { formatCode } from './run-formatter.ts'
import { readFileText, writeAndSay, type WrittenFile } from './write-file.ts'

/** The placeholder of the version in a file name. */
const PLACEHOLDER = '{version}'

/** The options of commands that write documents. */
const OUT_OPTIONS = {
  out: { value: '<file>', short: 'o', about: 'the file to write, if its content changes' },
  check: { about: 'compare with the file instead, and fail if it differs' },
} as const

export const openapi: Command = {
  summary: 'write the OpenAPI documents of an app',
  usage: '[<app>] [options]',
  about: [
    'Writes one document of all versions, or the document of one version, to standard output or a file. If the file',
    `name contains ${PLACEHOLDER}, you get one file for each version. The app is not started.`,
  ],
  examples: [
    'octavo openapi > openapi.json',
    'octavo openapi src/app.ts --version 2 --out openapi.yaml',
    "octavo openapi --out 'openapi/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    version: { value: '<version>', about: 'the version to write' },
    out: OUT_OPTIONS.out,
    format: {
      choices: ['yaml', 'json'],
      about:
        'yaml for documents in YAML, or json for the JSON of all commands (by the extension of the file)',
    },
    check: OUT_OPTIONS.check,
  },
  run: async (given, setting) => {
    const order = readOrder(given)
    const made = await askApp(given.positionals[0], { kind: 'openapi', wanted: order.wanted }, setting)
    return deliver('openapi', made, order, given, setting.cwd)
  },
}

export const client: Command = {
  summary: 'write the types or the route map of an app for a typed client',
  usage: '[<app>] [options]',
  about: [
    'Writes the types of a version to standard output or a file, so that you can use createClient<Api>() without the',
    'source of the app. With --map, it writes the route map for the option routes of the client. Without --version, you',
    `get the version of requests that name none. If the file name contains ${PLACEHOLDER}, you get one file for each`,
    'version. The app is not started.',
  ],
  examples: [
    'octavo client --version 2 --out src/api.d.ts',
    'octavo client --map --version 2 --out src/routes.json',
    "octavo client --map --out 'routes/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    map: { about: 'write the route map instead of the types' },
    version: { value: '<version>', about: 'the version to write' },
    host: { value: '<host>', about: 'the host of the app, if versions are read from the host' },
    ...OUT_OPTIONS,
    format: FORMAT,
  },
  run: async (given, setting) => {
    const isMap = given.has('map')
    const host = given.value('host')
    if (!isMap && host !== undefined) throw usageError('--host requires --map')
    const order = { ...readOrder(given), format: isMap ? 'json' : 'text' } as const
    const named = host === undefined ? {} : { host }
    const request = { kind: isMap ? 'client' : 'types', wanted: order.wanted, ...named } as const
    const made = await askApp(given.positionals[0], request, setting)
    return deliver('client', made, order, given, setting.cwd)
  },
}

/** The format of a document. `text` writes its member `text`. */
type WrittenFormat = 'json' | 'yaml' | 'text'

/** The documents that are wanted, and their destination. */
interface Order {
  readonly wanted: Wanted
  readonly out: string | undefined
  readonly format: WrittenFormat
  readonly isCheck: boolean
}

/** Reads the options of a command. @throws `CommandError` for options that contradict each other. */
function readOrder(given: Arguments): Order {
  const [version, out] = [given.value('version'), given.value('out')]
  if (given.has('check') && out === undefined)
    throw usageError('--check requires --out, the file to compare with')
  const isYaml =
    given.value('format') === 'yaml' || ['.yaml', '.yml'].includes(extname(out ?? '').toLowerCase())
  return {
    wanted:
      version !== undefined
        ? { kind: 'one', version }
        : { kind: out?.includes(PLACEHOLDER) === true ? 'each' : 'combined' },
    out,
    format: isYaml ? 'yaml' : 'json',
    isCheck: given.has('check'),
  }
}

/** A file with a document. */
interface DocumentFile {
  readonly path: string
  readonly text: string
  readonly document: object
}

/** Writes documents or compares them with files. */
async function deliver(
  name: string,
  documents: NamedDocuments,
  { out, format, isCheck }: Order,
  given: Arguments,
  cwd: string,
): Promise<Outcome> {
  const made: DocumentFile[] = []
  for (const each of documents) {
    const { document } = each
    const path = resolve(
      cwd,
      (out ?? '').replaceAll(PLACEHOLDER, () => each.name),
    )
    made.push({ path, text: await formatDocument(document, format), document })
  }
  if (out === undefined) return { text: made.map(({ text }) => text).join(''), result: { documents } }
  const files = await formatCode(made, cwd)
  if (!isCheck) return { result: { files: await writeAndSay(files, cwd) } }
  const checked: WrittenFile[] = []
  for (const file of files) checked.push(await checkDocument(file, relative(cwd, file.path), format))
  if (checked.every(({ state }) => state === 'current')) return { result: { files: checked } }
  const run = commandLine([name, ...given.all.filter((argument) => argument !== '--check')])
  return { exitCode: 1, result: { files: checked }, next: [{ text: `${UPDATE} to update the files`, run }] }
}

const UPDATE = 'run the same command without --check'

async function formatDocument(document: object, format: WrittenFormat): Promise<string> {
  if (format === 'text') return String(Reflect.get(document, 'text'))
  if (format === 'json') return `${JSON.stringify(document, undefined, 2)}\n`
  const { toYaml } = await import('../openapi/document/yaml.ts')
  return toYaml(document)
}

/** Compares the contents of a document with its file. The layout of JSON and YAML makes no difference. */
async function checkDocument(
  { path, text, document }: DocumentFile,
  name: string,
  format: WrittenFormat,
): Promise<WrittenFile> {
  const { red, green } = sayStyle()
  const found = await readFileText(path)
  if (found === undefined) {
    say(`${red(name)} doesn't exist: ${UPDATE} to write it`)
    return { file: name, state: 'missing' }
  }
  const isSame =
    format === 'text'
      ? found.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n')
      : isDeepStrictEqual(await parseWritten(found, format), toPlainJson(document))
  say(isSame ? `${green(name)} is up to date` : `${red(name)} differs from the app: ${UPDATE} to update it`)
  return { file: name, state: isSame ? 'current' : 'outdated' }
}

/** Parses a file. Returns `undefined` if its text is invalid. */
async function parseWritten(text: string, format: WrittenFormat): Promise<unknown> {
  try {
    if (format === 'json') return JSON.parse(text)
    const { fromYaml } = await import('./read-yaml.ts')
    return fromYaml(text)
  } catch {
    return undefined
  }
}
