import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { promisify } from 'node:util'

import { CommandError, InputError, type Setting } from '../command.ts'
import { ReadError } from '../../gate/json.ts'
import { resolveFileName, prepareSource, type ComparedSource } from '../../gate/document/source.ts'
import { isObject, messageOf } from '../../base/values.ts'
import { askApp } from '../app-process.ts'

/** A document that a command compares, and what messages call it. */
export interface ComparedDocument {
  readonly label: string
  readonly source: ComparedSource
  /** The file, as it was named, or `undefined` for a version of the app. */
  readonly file: string | undefined
  /** The version of the app, or `undefined` for a file. */
  readonly version?: string
}

/** Where the documents of an application come from. */
export interface AppSetting {
  readonly app: string | undefined
  readonly setting: Setting
  /** Whether references may only lead to files below the folder of the document. @default false */
  readonly isKeptInside?: boolean
}

/**
 * Reads what an argument names: `git:REV:path`, a file, or a version of the application.
 * @throws {CommandError} with the exit code 2 if it cannot be read
 */
export async function readGivenDocument(
  given: string,
  { app, setting, isKeptInside = false }: AppSetting,
): Promise<ComparedDocument> {
  const fromGit = /^git:([^:]+):(.+)$/.exec(given)
  const [, revision, path] = fromGit ?? []
  try {
    if (revision !== undefined && path !== undefined)
      return {
        label: given,
        file: undefined,
        source: await readReferencedFiles(path, (name) => readGit(revision, name, setting.cwd), isKeptInside),
      }
    // versions have no slash and none of these endings
    if (/[/\\]|\.(json|ya?ml)$/i.test(given)) {
      const name = resolve(setting.cwd, given).split(sep).join('/')
      return {
        label: given,
        file: given,
        source: await readReferencedFiles(name, (file) => readFile(file, 'utf8'), isKeptInside),
      }
    }
    return {
      label: `version ${given}`,
      file: undefined,
      version: given,
      source: prepareSource(await readVersion(given, app, setting)),
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw documentFailure(given, error)
  }
}

/** Whatever goes wrong with an input is one line. */
export function documentFailure(given: string, error: unknown): CommandError {
  const [line = ''] = messageOf(error).split('\n')
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  // parsers of YAML call themselves
  const isDeep = /call stack/.test(line)
  const read = isDeep ? 'the document is nested too deeply' : line
  const why = isMissing ? 'file not found' : read
  return new InputError(given, `${given}: ${why.replace(/:$/, '')}`, isMissing ? ['check the path'] : [])
}

async function readGit(revision: string, path: string, cwd: string): Promise<string> {
  if (revision.startsWith('-')) throw new ReadError('a revision does not begin with a hyphen')
  try {
    const { stdout } = await promisify(execFile)('git', ['show', `${revision}:./${path}`], {
      cwd,
      maxBuffer: 2 ** 28,
    })
    return stdout
  } catch (error) {
    const [, line = messageOf(error)] = /fatal: (.*)/.exec(messageOf(error)) ?? []
    throw new ReadError(`git: ${line}`)
  }
}

/** Reads a file and every file that references in it lead to. */
async function readReferencedFiles(
  main: string,
  read: (name: string) => Promise<string>,
  isKeptInside: boolean,
): Promise<ComparedSource> {
  const files = new Map<string, unknown>()
  const isAbsolute = main.startsWith('/')
  const open = [isAbsolute ? main.slice(1) : main]
  const [start = main] = open
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (files.has(name)) continue
    const text = await read(isAbsolute ? `/${name}` : name)
    const document = await parseGivenDocument(text)
    files.set(name, document)
    for (const reference of fileReferences(document)) {
      const path = resolveFileName(reference, name)
      if (isKeptInside && !path.startsWith(folder))
        throw new ReadError(
          `the reference ${reference} leads out of its folder: pass --allow-files if you trust it`,
        )
      open.push(path)
    }
  }
  return prepareSource(files.get(start), files, start)
}

async function parseGivenDocument(given: string): Promise<unknown> {
  // a byte order mark (RFC 8259 section 8.1)
  const text = given.replace(/^\uFEFF/, '')
  if (text.trimStart().startsWith('{')) {
    const value: unknown = JSON.parse(text)
    return value
  }
  const { fromYaml } = await import('../read-yaml.ts')
  return fromYaml(text)
}

/** Members that hold values of JSON: a `$ref` in an example is no reference. */
const VALUES = /^(?:example|examples|default|enum|const|x-(?!webhooks$).*)$/
/** Members that hold others by names of their own, such as the response `default`. */
const MAPS =
  /^(?:\$defs|definitions|(?:patternP|p)roperties|dependentSchemas|schemas|responses|headers|parameters|requestBodies|callbacks|links|pathItems|paths|webhooks|content)$/

/** The further files of a document. @throws {ReadError} for those of other machines */
function fileReferences(document: unknown): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const open = [{ value: document, isMap: false }]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { value, isMap } = top
    if (!isObject(value) || seen.has(value)) continue
    seen.add(value)
    const reference: unknown = Reflect.get(value, '$ref')
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      const [file = ''] = reference.split('#')
      if (/^[a-z][a-z\d+.-]*:/i.test(file))
        throw new ReadError(`the reference ${reference} is remote: bundle the document first`)
      found.add(file)
    }
    // lists can be longer than a call can have arguments
    for (const [name, member] of Object.entries(value))
      if (isObject(member) && (isMap || !VALUES.test(name)))
        open.push({ value: member, isMap: !isMap && MAPS.test(name) })
  }
  return [...found]
}

async function readVersion(version: string, app: string | undefined, setting: Setting): Promise<object> {
  const [made] = await askApp(app, { kind: 'openapi', wanted: { kind: 'one', version } }, setting)
  if (made === undefined)
    throw new InputError(version, `${app ?? 'the app'} has no document of version ${version}`)
  return made.document
}
