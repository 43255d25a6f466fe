import { BlockList, isIP } from 'node:net'

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
export function isPublicAddress(address: string): boolean {
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
