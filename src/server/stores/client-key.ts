import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'

import { detachString } from '../../base/values.ts'

/** Groups of an IPv6 address that name a network: a /64, which one household or machine has for itself (RFC 6177). */
const NETWORK_GROUPS = 4

/**
 * Returns the key that a client's address is counted under: an IPv4 address as it is, also where it is written as IPv6, and of an IPv6
 * address the network, for whoever has one address there has 2^64.
 */
export function toAddressKey(address: string): string {
  const [ip = ''] = address.split('%', 1)
  if (!isIPv6(ip)) return ip
  const groups = toGroups(ip)
  const [mark, high = 0, low = 0] = groups.slice(5)
  const isMapped = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')
}

/** The eight groups of a valid IPv6 address (RFC 4291 section 2.2). */
function toGroups(ip: string): readonly number[] {
  const [head = '', tail] = ip.split('::')
  const before = readGroups(head)
  if (tail === undefined) return before
  const behind = readGroups(tail)
  return [...before, ...Array<number>(8 - before.length - behind.length).fill(0), ...behind]
}

function readGroups(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Characters of a key that are kept as they are; of a longer one a digest. */
const LONGEST = 128

/** A key of bounded length. */
export function toShortKey(key: string): string {
  return key.length <= LONGEST ? detachString(key) : createHash('sha256').update(key).digest('base64url')
}
