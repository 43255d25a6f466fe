import { parseMediaType } from '../../http/media-type.ts'

/** A header with the media types that a method takes at a path. */
export type Announcement = Readonly<Record<string, string>>

type Announce = (types: readonly string[]) => Announcement

/** The methods that announce their media types. */
const ANNOUNCING: ReadonlyMap<string, Announce> = new Map<string, Announce>([
  ['QUERY', (types) => toHeader('accept-query', types.map(toMember))],
  // a list of media types without ranges (RFC 5789 section 3.1)
  [
    'PATCH',
    (types) =>
      toHeader(
        'accept-patch',
        types.filter((type) => !type.includes('*')),
      ),
  ],
])

/** The header that announces the media types of a method, none if the method has no such header. */
export function announce(method: string, types: readonly string[]): Announcement {
  return ANNOUNCING.get(method)?.(types) ?? {}
}

function toHeader(name: string, members: readonly string[]): Announcement {
  return members.length === 0 ? {} : { [name]: members.join(', ') }
}

/** A media range as a member of a structured list: a token or a string, with its parameters (RFC 10008 section 3, RFC 9651). */
function toMember(text: string): string {
  const { type, parameters } = parseMediaType(text) ?? { type: text, parameters: [] }
  // tokens begin with a letter or an asterisk
  const range = /^[a-z*]/.test(type) ? type : formatString(type)
  return [range, ...parameters.map(([name, value]) => `${name}=${formatString(value)}`)].join(';')
}

function formatString(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
