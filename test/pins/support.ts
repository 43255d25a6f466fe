import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type {
  App,
  AppOptions,
  HttpRequest,
  InjectResponse,
  Logger,
  QueryOptions,
  Store,
  VersioningOptions,
} from 'octavo'
import { pinned } from 'octavo/pins'
import type { PinOptions, Pins } from 'octavo/pins'

/** A store that many processes share. Each call takes a turn of the event loop, as a network does. */
export interface TestStore {
  readonly kept: Map<string, string>
  /** The calls, such as `get acme` and `firstUse acme 2`. */
  readonly calls: string[]
  readonly get: (client: string) => Awaitable<string | null | undefined>
  /** The first writer of a client wins. Returns whether the version was stored. */
  readonly set: (client: string, version: string, reason: 'firstUse' | 'upgrade') => Awaitable<boolean>
}

type Awaitable<T> = T | PromiseLike<T>

/** The store of pins that these functions are. */
export function toStore({ get, set }: Pick<TestStore, 'get' | 'set'>): Store {
  const clientOf = (key: string): string => key.replace(/^pin:/, '')
  return {
    get: (key) => get(clientOf(key)),
    set: (key, version, { ifAbsent = false } = {}) =>
      set(clientOf(key), version, ifAbsent ? 'firstUse' : 'upgrade'),
    delete: () => false,
  }
}

export function createStore(entries: Readonly<Record<string, string>> = {}): TestStore {
  const kept = new Map(Object.entries(entries))
  const calls: string[] = []
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
  return {
    kept,
    calls,
    get: async (client) => {
      calls.push(`get ${client}`)
      await turn()
      return kept.get(client)
    },
    set: async (client, version, reason) => {
      calls.push(`${reason} ${client} ${version}`)
      await turn()
      if (reason === 'firstUse' && kept.has(client)) return false
      kept.set(client, version)
      return true
    },
  }
}

export type Line = readonly [level: string, message: string | undefined]

export function createLogger(lines: Line[]): Logger {
  const at = (level: string) => (_details: object, message?: string) => void lines.push([level, message])
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Routes of version 1 and 2, one that only version 1 has, one without versions, and one of a beta of version 3. */
const controller = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', version: ['1', '2'], handler: (_input, { version }) => version },
    { method: 'GET', path: '/old', version: '1', handler: (_input, { version }) => version },
    { method: 'GET', path: '/next', version: '3-beta', handler: (_input, { version }) => version },
  ],
})

export interface Served {
  readonly app: App
  readonly pins: Pins
  readonly lines: readonly Line[]
  /** The status, and the version that answers or the code of the error. */
  readonly ask: (client?: string, url?: string) => Promise<readonly [status: number, answer: unknown]>
  readonly respond: (client?: string, url?: string) => Promise<InjectResponse>
}

const byAccount = (request: HttpRequest) => request.header('x-account')

/** An application that pins clients by `x-account`. */
export function serve(
  given: Omit<PinOptions, 'client' | 'store'> &
    Pick<TestStore, 'get' | 'set'> &
    Partial<TestStore> & { readonly client?: PinOptions['client'] | undefined },
  options: VersioningOptions & QueryOptions = {},
  appOptions: Omit<AppOptions, 'versioning'> = {},
): Served {
  const { kept: _kept, calls: _calls, get, set, ...pinOptions } = given
  const lines: Line[] = []
  const { client: own, ...others } = { client: byAccount, ...pinOptions, store: toStore({ get, set }) }
  const pins = pinned({ ...(own && { client: own }), ...others })
  const app = createApp(defineModule({ controllers: [controller] }), {
    logger: createLogger(lines),
    ...appOptions,
  })
  app.enableVersioning(VersioningSchemes.QUERY, {
    format: 'integer',
    defaultVersion: pins,
    vary: ['x-account'],
    ...options,
  })
  const respond: Served['respond'] = (client, url = '/car') =>
    app.inject({ url, headers: { 'x-account': client } })
  return {
    app,
    pins,
    lines,
    respond,
    ask: async (client, url) => {
      const { statusCode, body } = await respond(client, url)
      const value: unknown = JSON.parse(body)
      return [statusCode, typeof value === 'string' ? value : Object(value).code]
    },
  }
}
