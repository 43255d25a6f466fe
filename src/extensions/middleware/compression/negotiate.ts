/** The codings that a client takes, in the order of the server's preference. */
export interface Negotiated<T> {
  /** The coding to use, or `undefined` for none. */
  readonly coding: T | undefined
  /** Whether the client refuses content without coding. */
  readonly isDemanded: boolean
}

/** A weight (RFC 9110 section 12.4.2). */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/**
 * Chooses a content coding for an `Accept-Encoding` header (RFC 9110 section 12.5.3): the one with the highest weight, or the first of
 * `codings` among several. Returns none if the client prefers that, sends no header, or accepts none of them. Malformed members are
 * ignored.
 */
export function negotiate<T extends { readonly name: string }>(
  header: string | undefined,
  codings: readonly T[],
): Negotiated<T> {
  if (header === undefined) return { coding: undefined, isDemanded: false }
  const weights = parseWeights(header)
  const others = weights.get('*')
  const identity = weights.get('identity')
  let coding: T | undefined
  let best = 0
  for (const candidate of codings) {
    const weight = weights.get(candidate.name) ?? others ?? 0
    if (weight <= best) continue
    coding = candidate
    best = weight
  }
  if (identity !== undefined && identity > best) coding = undefined
  return { coding, isDemanded: (identity ?? others) === 0 }
}

/** The weights by name in lower case. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [name = '', parameter, ...rest] = member.split(';')
    const weight = parameter === undefined ? 1 : parseWeight(parameter)
    if (weight === undefined || rest.length > 0) continue
    const coding = name.trim().toLowerCase()
    // RFC 9110 section 8.4.1.3
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight)
  }
  return weights
}

function parseWeight(parameter: string): number | undefined {
  const [, weight] = WEIGHT.exec(parameter.trim()) ?? []
  return weight === undefined ? undefined : Number(weight)
}
