import type { TlsOptions } from 'node:tls'

import { isNonEmptyString, isPositive } from '../../../base/values.ts'
import { suggestion, type OptionRule } from '../../../base/definition-error.ts'

/** Where and how a server listens. */
export interface ListenOptions {
  /** 0 takes any free port. @default 3000 */
  readonly port?: number
  /** The address to listen on. @default all addresses */
  readonly host?: string
  /** A Unix socket, or a pipe such as `\\.\pipe\cars` on Windows, in the place of port and host. */
  readonly path?: string
  /** Serves HTTPS: `cert` and `key` as PEM, and any other option of `tls.createServer`. */
  readonly tls?: TlsOptions
  /**
   * Serves HTTP/2: with `tls` beside HTTP/1.1 on one port, as clients choose; without, in the clear to clients that know beforehand
   * (RFC 9113 section 3.3), and nothing else. @default false
   */
  readonly http2?: boolean
  /**
   * How many processes serve, each of them running this same script while this one keeps them running. `'auto'` is one for each core.
   * @default none: this process serves by itself
   */
  readonly workers?: number | 'auto'
  /** Connections at a time, of this process; further ones are closed at once. @default no limit */
  readonly maxConnections?: number
  /**
   * Reads requests of HTTP/1.1 from connections: `direct()` of `octavo/engine` is Octavo's own engine on the parser of Node. Experimental.
   * @default node:http
   */
  readonly engine?: Engine
}

/** Reads requests from connections in the place of node:http. `direct()` of `octavo/engine` returns it. */
export interface Engine {
  /** Marks engines. */
  readonly kind: 'engine'
}

const MAX_PORT = 65_535
/** Bytes of the path of a Unix socket; other systems than Linux have room for less. */
const MAX_PATH = process.platform === 'linux' ? 107 : 103

const RULES: Readonly<Record<keyof ListenOptions, OptionRule>> = {
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_PORT,
    `a number from 0 to ${MAX_PORT}`,
  ],
  host: [isNonEmptyString, "the name or address of an interface, such as '127.0.0.1'"],
  path: [isNonEmptyString, "the path of a socket, such as '/run/cars.sock'"],
  tls: [(value) => typeof value === 'object' && value !== null, 'an object with cert and key'],
  http2: [(value) => typeof value === 'boolean', 'true or false'],
  workers: [
    (value) => value === 'auto' || (Number.isSafeInteger(value) && Number(value) > 0),
    "'auto' or a number of processes",
  ],
  maxConnections: [isPositive, 'a number of connections, at least 1'],
  engine: [(value) => Object(value).kind === 'engine', 'direct() of octavo/engine'],
}

/** Checks what is given to `listen`. @throws `TypeError` for options that do not exist, cannot be used or contradict each other. */
export function checkListenOptions(options: ListenOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('listen: the options are not an object; write listen({ port: 3000 })')
  const rules = Object.entries<OptionRule>(RULES)
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(RULES, name))
      throw new TypeError(`listen: there is no option "${name}"; ${suggestion(name, Object.keys(RULES))}`)
  }
  for (const [name, [test, expected]] of rules) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined && !test(value)) throw new TypeError(`listen: ${name} is not ${expected}`)
  }
  checkTogether(options)
}

/** Checks what only goes, or does not go, with something else. */
function checkTogether(options: ListenOptions): void {
  const { path, tls } = options
  for (const name of ['port', 'host'] as const) {
    if (path !== undefined && options[name] !== undefined)
      throw new TypeError(`listen: give path or ${name}, not both`)
  }
  if (path !== undefined && process.platform !== 'win32' && Buffer.byteLength(path) > MAX_PATH)
    throw new TypeError(`listen: path is longer than the ${MAX_PATH} bytes that a Unix socket may have`)
  if (
    tls !== undefined &&
    !(
      (tls.cert !== undefined && tls.key !== undefined) ||
      tls.pfx !== undefined ||
      tls.SNICallback !== undefined
    )
  )
    throw new TypeError('listen: tls needs a certificate: give cert and key as PEM, or pfx')
}
