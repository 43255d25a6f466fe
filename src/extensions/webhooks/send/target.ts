import { lookup as lookupByDns, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { isIP, BlockList, type LookupFunction } from 'node:net'

import { isPromise, settlesWithin, isString } from '../../../base/values.ts'

/** Resolves a name to all of its addresses, as `lookup` of `node:dns` does. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Where webhooks may be sent. */
export interface TargetOptions {
  /** Whether private, loopback and link-local addresses are allowed, for development and tests. @default false */
  readonly allowPrivate?: boolean
  /** Whether `http:` is allowed, which everybody on the way can read. @default false, or true with `allowPrivate` */
  readonly allowHttp?: boolean
  /** The ports that URLs may have. @default all */
  readonly ports?: readonly number[]
  /** Resolves names. @default `lookup` of `node:dns` */
  readonly lookup?: Lookup
}

/** The rules of an application for URLs. */
interface Targets {
  /** Reads a URL. @throws `WebhookTargetError` for what can be known without its addresses. */
  readonly read: (url: string) => URL
  /** Reads a URL and resolves its name. Rejects with a `WebhookTargetError` if it is not allowed, and if that takes too long. */
  readonly check: (url: string) => Promise<void>
  /** Resolves a name for a connection. Fails with a `WebhookTargetError` if one of the addresses is not allowed. */
  readonly lookup: LookupFunction
}

/** Names that never lead to the public internet (the IANA registry of special-use domain names), and those that private networks use. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid|example|onion|alt)$/

/** Creates the rules of an application for URLs, with the milliseconds that `check` has. */
export function createTargets(given: TargetOptions, timeout: number): Targets {
  const { allowPrivate = false, allowHttp = allowPrivate, ports, lookup: resolve = lookupByDns } = given
  const isAllowed = (address: string): boolean => allowPrivate || isPublicAddress(address)

  const lookup: LookupFunction = (hostname, asked, callback) => {
    const answer = createLookupCallback(callback)
    const fail = (error: unknown): void =>
      answer(error instanceof Error ? error : new Error('lookup failed', { cause: error }), [])
    const settle = (error: unknown, addresses: unknown): void => {
      // functions of applications may call back without null
      if (error instanceof Error) return fail(error)
      // an error thrown here would end the process
      if (!isAddresses(addresses)) return fail(new TypeError(NO_ADDRESSES))
      const [first] = addresses
      // one private address among public ones is enough for an attack
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
        return fail(new WebhookTargetError('address'))
      if (asked.all === true) return answer(null, addresses)
      return answer(null, first.address, first.family)
    }
    const options = { family: asked.family ?? 0, hints: asked.hints ?? 0, all: true } as const
    try {
      const returned: unknown = resolve(hostname, options, settle)
      // a function of an application may be async, and a rejection that nobody handles would end the process
      if (isPromise(returned)) returned.then(undefined, fail)
    } catch (error) {
      fail(error)
    }
  }

  const read = (text: string): URL => {
    // URL leaves out line breaks and blanks, and reads backslashes as slashes
    if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) throw new WebhookTargetError('url')
    const url = new URL(text)
    const { protocol, username, password, hostname } = url
    if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) throw new WebhookTargetError('scheme')
    if (username + password !== '') throw new WebhookTargetError('credentials')
    const port = Number(url.port || (protocol === 'https:' ? 443 : 80))
    if (port === 0 || ports?.includes(port) === false) throw new WebhookTargetError('port')
    const problem = allowPrivate ? undefined : hostProblem(toHost(hostname))
    if (problem !== undefined) throw new WebhookTargetError(problem)
    return url
  }
  const check = async (text: string): Promise<void> => {
    const resolved = new Promise<void>((done, reject) => {
      const { hostname } = read(text)
      if (isIP(toHost(hostname)) > 0) return done()
      return lookup(hostname, { all: true }, (error) => (error === null ? done() : reject(error)))
    })
    // resolvers of systems try for a minute and more
    if (await settlesWithin(resolved, timeout)) return
    throw new Error(`The host of the URL was not resolved within ${timeout} ms`)
  }
  return { read, check, lookup }
}

/** A callback that is called once, whatever a function of an application does. */
function createLookupCallback(callback: Parameters<LookupFunction>[2]): Parameters<LookupFunction>[2] {
  let isAnswered = false
  return (...given) => {
    if (isAnswered) return
    isAnswered = true
    callback(...given)
  }
}

const NO_ADDRESSES = 'lookup has to call back with a list of objects that have an address and a family'

function isAddresses(value: unknown): value is LookupAddress[] {
  return Array.isArray(value) && value.every((each) => isString(Object(each).address))
}

/** Returns the flaw of a host before it is resolved. */
function hostProblem(host: string): TargetProblem | undefined {
  if (isIP(host) > 0) return isPublicAddress(host) ? undefined : 'address'
  return host.includes('.') && !PRIVATE_NAMES.test(host) ? undefined : 'host'
}

/** A host without the brackets of an IPv6 address, and without the full stop of a root. */
function toHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** Why nothing is sent to a URL. */
export type TargetProblem = 'url' | 'scheme' | 'credentials' | 'port' | 'host' | 'address'

const MESSAGES: Readonly<Record<TargetProblem, string>> = {
  url: 'The URL cannot be read',
  scheme: 'The scheme of the URL is not allowed',
  credentials: 'The URL has a user name or a password',
  port: 'The port of the URL is not allowed',
  host: 'The host of the URL is not a public name',
  // the address itself is not told, so that nobody learns what names mean inside of the network
  address: 'The host of the URL has an address that is not public',
}

/** A webhook is not sent to a URL, because it leads elsewhere than to the public internet. Its message can be shown to the owner of the URL. */
export class WebhookTargetError extends Error {
  /** The name of the class. */
  override readonly name = 'WebhookTargetError'
  /** The flaw of the URL. */
  readonly problem: TargetProblem

  constructor(problem: TargetProblem) {
    super(MESSAGES[problem])
    this.problem = problem
  }
}

/**
 * The IPv4 blocks of the IANA special-purpose address registry that the internet does not lead to, besides multicast and what is reserved
 * (RFC 6890 and its updates). The relays of 6to4 are deprecated (RFC 7526). 168.63.129.16 is public by its number, but leads to the wire
 * server of Azure in its networks, which has metadata of machines.
 */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * The IPv6 blocks of that registry within the global unicast addresses: protocol assignments with Teredo, documentation and 6to4. All
 * others, such as loopback, mapped, local and multicast ones, are outside of them.
 */
const IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** The prefix of NAT64, behind which an IPv4 address stands (RFC 6052 section 2.1). Networks without IPv4 reach all of it that way. */
const NAT64 = '64:ff9b::'

/** The global unicast addresses, and those of NAT64. */
const GLOBAL = blockList(['2000::/3', `${NAT64}/96`], 'ipv6')

const SPECIAL_IPV4 = blockList(IPV4, 'ipv4')

const SPECIAL_IPV6 = blockList(
  [
    ...IPV6,
    ...IPV4.map((block) => {
      const [address = '', bits] = block.split('/')
      return `${NAT64}${address}/${96 + Number(bits)}`
    }),
  ],
  'ipv6',
)

/** Whether an address is one of the public internet, which no private network, machine or cloud has for itself. */
function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_IPV4.check(address, 'ipv4')
    case 6:
      // one with a zone is of a link
      return !address.includes('%') && GLOBAL.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6')
    default:
      return false
  }
}

function blockList(blocks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}
