import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { checkOptionNames } from '../../base/definition-error.ts'
import { versionFileNames } from '../../http/file-name.ts'
import type { Awaitable } from '../../base/values.ts'
import type { EdgeApp } from '../../server/app/edge-app.ts'
import {
  inject as injectRequest,
  injectStream,
  type InjectResponse,
  type InjectStream,
} from '../../server/adapters/inject/inject.ts'
import {
  toInjectOptions,
  toInjectRequest,
  type InjectOptions,
  type InjectStreamOptions,
} from '../../server/adapters/inject/inject-request.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import { setRecorder, type Recorder } from '../client.ts'
import { differencesOf, explainDifference } from './differences.ts'
import {
  bytesOf,
  createExchange,
  type RecordedExchange,
  type GoldenFile,
  type GoldenRequest,
} from './exchange.ts'
import { createMask, type Mask } from './mask.ts'
import { readAgain, recordStream } from './streamed.ts'

/** The options of `goldens`. */
export interface GoldensOptions {
  /** The folder with one file for each version. */
  readonly dir: string | URL
  /** Names of response headers that differ each time, besides `date`, `age` and `x-request-id`. @default [] */
  readonly ignore?: readonly string[]
  /**
   * Secrets that are stored as `***`, besides the values of `Authorization` and of all cookies: names of headers, parameters of the query
   * such as `'?key'`, and members of JSON bodies such as `'/user/email'`, where `*` stands for every name and index. @default []
   */
  readonly mask?: readonly string[]
  /** Returns a recorded request with the secrets that were masked, before `replay` sends it. @default the request with `***` is sent */
  readonly prepare?: (request: GoldenRequest) => Awaitable<GoldenRequest>
  /** Whether `save` replaces files that are there. @default whether the variable `OCTAVO_GOLDENS` is `update` */
  readonly update?: boolean
}

const OPTIONS: ReadonlySet<string> = new Set(['dir', 'ignore', 'mask', 'prepare', 'update'])

/** Recorded requests and answers of an application. */
export interface Goldens {
  /**
   * Writes what was injected since `goldens` was called, one file for each version that answered. Files that are there stay as they are.
   * Resolves to the versions that were written.
   */
  save(): Promise<readonly string[]>
  /**
   * Sends the requests of all files again, oldest version first, and compares the answers byte by byte.
   *
   * @throws `Error` with every difference and the changes that touch it, and if there is no file.
   */
  replay(): Promise<void>
}

/**
 * Records every request that is injected into an application, by `app.inject` and by test clients, with its answer. A later run replays
 * them: older versions have to answer the same bytes.
 *
 * @example
 * const golden = goldens(app, { dir: 'test/goldens' })
 * await forEachVersion(app, '1', async (client) => void (await client.get('/user/7')))
 * await golden.save()
 *
 * @throws `TypeError` for anything but an application.
 */
export function goldens(app: EdgeApp, options: GoldensOptions): Goldens {
  checkOptionNames('goldens', options, OPTIONS)
  const {
    dir,
    ignore = [],
    mask: secrets = [],
    prepare,
    update = process.env['OCTAVO_GOLDENS'] === 'update',
  } = options
  const { versioning } = internalsOf(app, 'goldens')
  const folder = dir instanceof URL ? fileURLToPath(dir) : dir
  const ignored = new Set(['date', 'age', 'x-request-id', ...ignore.map((name) => name.toLowerCase())])
  const mask = createMask(secrets)
  const recorded = new Map<string, (() => RecordedExchange)[]>()
  let isReplaying = false
  const send = recordInject(app, async (request, response) => {
    const { version } = response
    if (isReplaying || version === null) return
    const list = recorded.get(version) ?? []
    recorded.set(version, list)
    // the test reads a stream after this
    const read = 'stream' in response ? recordStream(response.stream) : () => response
    const toRecorded = await createExchange(request, response, ignored)
    if (toRecorded !== undefined) list.push(() => mask(toRecorded(read())))
  })
  const read = async (): Promise<readonly GoldenFile[]> => {
    const known = app.versions().map(({ version }) => version)
    const files = await readGoldens(folder)
    return [...files.values()].toSorted((a, b) => known.indexOf(a.version) - known.indexOf(b.version))
  }
  const resend = async (exchange: RecordedExchange): Promise<RecordedExchange> => {
    const request = (await prepare?.(exchange.request)) ?? exchange.request
    return send({ ...exchange, request }, ignored)
  }
  return {
    save: async () => {
      const files = await readGoldens(folder)
      const names = new Map([...files].map(([name, { version }]) => [version, name]))
      const toName = versionFileNames([...names.keys(), ...recorded.keys()])
      const fresh = [...recorded].filter(([version]) => update || !names.has(version))
      if (fresh.length > 0) await mkdir(folder, { recursive: true })
      for (const [version, exchanges] of fresh) {
        const file: GoldenFile = { version, exchanges: exchanges.map((toRecorded) => toRecorded()) }
        const name = names.get(version) ?? `${toName(version)}.json`
        await writeFile(join(folder, name), `${JSON.stringify(file, undefined, 2)}\n`)
      }
      return fresh.map(([version]) => version)
    },
    replay: async () => {
      const files = await read()
      if (files.length === 0) throw new Error(`goldens: there is no file in ${folder}; record and save first`)
      isReplaying = true
      try {
        failIfDifferent(await findDifferences(files, { send: resend, mask, versioning: versioning() }))
      } finally {
        isReplaying = false
      }
    },
  }
}

function failIfDifferent(found: readonly string[]): void {
  if (found.length === 0) return
  const what = found.length === 1 ? 'A recorded answer differs' : `${found.length} recorded answers differ`
  throw new Error(`${what}\n\n${found.join('\n\n')}`)
}

/** How the requests of files are sent again. */
interface Replaying {
  readonly send: (exchange: RecordedExchange) => Promise<RecordedExchange>
  readonly mask: Mask
  readonly versioning: ReturnType<ReturnType<typeof internalsOf>['versioning']>
}

/** Lists the differences between today's answers and those in files, each with the changes that touch it. */
async function findDifferences(
  files: readonly GoldenFile[],
  { send, mask, versioning }: Replaying,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { version, exchanges } of files)
    for (const exchange of exchanges) {
      const differences = differencesOf(mask(exchange), mask(await send(exchange)))
      if (differences.length > 0)
        found.push(explainDifference(exchange, version, differences, versioning?.history))
    }
  return found
}

/** Sends a recorded request again. */
type Resend = (exchange: RecordedExchange, ignored: ReadonlySet<string>) => Promise<RecordedExchange>

/** Has `app.inject` and all test clients tell a recorder. */
function recordInject(app: EdgeApp, recorder: Recorder): Resend {
  const { start: enter, settings, versioning } = internalsOf(app, 'goldens')
  const inject = async (
    given: string | URL | InjectOptions | InjectStreamOptions,
  ): Promise<InjectResponse | InjectStream> => {
    const wanted = toInjectOptions(given)
    await enter()
    const request = await toInjectRequest(wanted, versioning(), settings.prefix.at)
    const { dispatch } = await enter()
    const response =
      wanted.stream === true
        ? await injectStream(dispatch, request, settings)
        : await injectRequest(dispatch, request, settings)
    await recorder(request, response)
    return response
  }
  setRecorder(app, recorder)
  Reflect.set(app, 'inject', inject)
  return async (exchange, ignored) => {
    const { method, url, headers, protocol, remoteAddress, body } = exchange.request
    const { response: recordedResponse } = exchange
    const { host, ...others } = headers
    await enter()
    const request = await toInjectRequest(
      {
        method,
        url,
        headers: others,
        host: String(host ?? 'localhost'),
        ...(body === undefined ? {} : { body: bytesOf(body) }),
        ...(protocol === undefined ? {} : { protocol }),
        ...(remoteAddress === undefined ? {} : { remoteAddress }),
      },
      undefined,
      settings.prefix.at,
    )
    const { dispatch } = await enter()
    const { streamed, body: known } = recordedResponse
    const response =
      streamed === undefined
        ? await injectRequest(dispatch, request, settings)
        : await injectStream(dispatch, request, settings)
    const read =
      'stream' in response ? await readAgain(response.stream, streamed, bytesOf(known).length) : response
    const toRecorded = await createExchange(request, response, ignored)
    if (toRecorded === undefined) throw new TypeError('goldens: a recorded body is no text')
    return toRecorded(read)
  }
}

/** The files by their names. */
async function readGoldens(folder: string): Promise<ReadonlyMap<string, GoldenFile>> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json')).toSorted()
  return new Map(
    await Promise.all(
      files.map(async (name) => {
        // `save` wrote it
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const file = JSON.parse(await readFile(join(folder, name), 'utf8')) as GoldenFile
        return [name, file] as const
      }),
    ),
  )
}
