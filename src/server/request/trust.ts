/** Which proxies are trusted: none or all, so many, or those at certain addresses. */
export type Trust = boolean | number | ((address: string) => boolean)

/** Whether the forwarding headers of whoever has sent a request count. */
export function isPeerTrusted(trust: Trust, remoteAddress: string | undefined): boolean {
  if (typeof trust === 'function') return remoteAddress !== undefined && trust(remoteAddress)
  return trust !== false && trust !== 0
}

/** Ranges of addresses that have a name. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** The description of addresses, in messages. */
export const ADDRESSES_EXPECTED = `addresses, ranges such as '10.0.0.0/8', or ${Object.keys(RANGES)
  .map((name) => `'${name}'`)
  .join(', ')}`

/** Whether a value names addresses, as `toTrust` takes them. */
export function isTrustList(value: unknown): value is string | readonly string[] {
  const list: readonly unknown[] = [value].flat()
  if (list.length === 0 || !list.every((entry) => typeof entry === 'string')) return false
  try {
    toTrust(list)
    return true
  } catch {
    return false
  }
}

/** Creates the check whether an address is one of a list. @throws `Error` for what names none. */
export function toTrust(entries: readonly string[]): (address: string) => boolean {
  // not imported: only some applications need it, and not every runtime has it
  const { BlockList } = process.getBuiltinModule('node:net')
  const trusted = new BlockList()
  for (const entry of entries) {
    for (const range of Object.hasOwn(RANGES, entry) ? (RANGES[entry] ?? []) : [entry]) {
      const [address = '', prefix, ...more] = range.split('/')
      if (more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new Error(range)
      if (prefix === undefined) trusted.addAddress(address, familyOf(address))
      else trusted.addSubnet(address, Number(prefix), familyOf(address))
    }
  }
  return (address) => {
    try {
      return trusted.check(address, familyOf(address))
    } catch {
      // no address
      return false
    }
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}

/**
 * How many of the proxies that a request came through are trusted, from the last one on: `entries` are those of `X-Forwarded-For`, to
 * which each proxy adds the address that it was called from.
 */
export function countTrusted(
  isTrusted: (address: string) => boolean,
  remoteAddress: string | undefined,
  entries: readonly string[],
): number {
  if (remoteAddress === undefined || !isTrusted(remoteAddress)) return 0
  const untrusted = entries.findLastIndex((entry) => !isTrusted(withoutPort(entry)))
  return entries.length - untrusted
}

/** An address as proxies write it, without the port that some add: each connection of a client has another. */
export function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
