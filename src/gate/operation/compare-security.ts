import { isRecord, isString } from '../../base/values.ts'
import type { ComparedOperation } from '../document/read-operations.ts'
import type { ComparedSource } from '../document/source.ts'
import { toStableText } from '../json.ts'
import type { OperationDifference, ComparedDocuments } from './compared-documents.ts'

/** The needs of a request from one scheme. */
interface Need {
  /** The name of the scheme in its document. */
  readonly name: string
  readonly scopes: readonly string[]
  /** The ways of getting a token, any of which is enough. */
  readonly flows: readonly string[]
}

/** The needs of a request: schemes by their content, because their names don't matter to clients. */
type CredentialAlternative = ReadonlyMap<string, Need>

/** The differences in required credentials: credentials that were enough have to stay enough. */
export function compareSecurity(
  base: ComparedOperation,
  revision: ComparedOperation,
  documents: ComparedDocuments,
): readonly OperationDifference[] {
  const old = alternativesOf(base, documents.base)
  const now = alternativesOf(revision, documents.revision)
  const lost = old.filter((one) => !now.some((other) => isEnough(one, other)))
  const won = now.filter((one) => !old.some((other) => isEnough(one, other)))
  const place = { base: base.place, revision: revision.place, at: ['security'] }
  if (lost.length > 0) {
    const scopes = lost.flatMap((one) => now.flatMap((other) => missingScopes(one, other)))
    return [
      scopes.length > 0
        ? {
            ...place,
            rule: 'api-security-scope-added',
            values: { credentials: credentialsText(lost), scopes: [...new Set(scopes)].join(', ') },
          }
        : { ...place, rule: 'api-security-added', values: { credentials: credentialsText(lost) } },
    ]
  }
  if (won.length === 0) return []
  return [{ ...place, rule: 'api-security-removed', values: { credentials: credentialsText(won) } }]
}

/** Whether credentials for one alternative satisfy the other one. */
function isEnough(has: CredentialAlternative, asked: CredentialAlternative): boolean {
  return [...asked].every(([scheme, { scopes, flows }]) => {
    const own = has.get(scheme)
    return (
      own !== undefined &&
      scopes.every((scope) => own.scopes.includes(scope)) &&
      own.flows.every((flow) => flows.includes(flow))
    )
  })
}

/** The missing scopes, if credentials for one alternative lack nothing but scopes for the other one. */
function missingScopes(has: CredentialAlternative, asked: CredentialAlternative): readonly string[] {
  const bare = new Map([...asked].map(([scheme, need]) => [scheme, { ...need, scopes: [] }]))
  if (!isEnough(has, bare)) return []
  return [...asked].flatMap(([scheme, { scopes }]) =>
    scopes.filter((scope) => has.get(scheme)?.scopes.includes(scope) !== true),
  )
}

function credentialsText(alternatives: readonly CredentialAlternative[]): string {
  return alternatives
    .map((one) =>
      one.size === 0 ? 'no credential' : [...one.values()].map(({ name }) => name).join(' with '),
    )
    .join(' or ')
}

function alternativesOf(
  { node }: ComparedOperation,
  source: ComparedSource,
): readonly CredentialAlternative[] {
  const given = node['security'] ?? source.root['security']
  if (!Array.isArray(given) || given.length === 0) return [new Map()]
  return given
    .filter(isRecord)
    .map(
      (one) =>
        new Map(
          Object.entries(one).map(([name, scopes]) =>
            toNeed(name, Array.isArray(scopes) ? scopes.filter(isString) : [], source),
          ),
        ),
    )
}

function toNeed(name: string, scopes: readonly string[], source: ComparedSource): readonly [string, Need] {
  const components = source.root['components']
  const schemes = isRecord(components) ? components['securitySchemes'] : undefined
  const scheme = source.resolve(isRecord(schemes) ? schemes[name] : undefined)
  if (!isRecord(scheme)) return [name, { name, scopes, flows: [] }]
  const { type, in: place, name: parameter, scheme: kind, openIdConnectUrl, flows } = scheme
  const http = isString(kind) ? kind.toLowerCase() : kind
  const header = isString(parameter) && place === 'header' ? parameter.toLowerCase() : parameter
  return [
    toStableText({ type, place, header, http, openIdConnectUrl }),
    { name, scopes, flows: isRecord(flows) ? Object.keys(flows) : [] },
  ]
}
