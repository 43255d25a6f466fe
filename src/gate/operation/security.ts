import { isRecord, isString } from '../../base/values.ts'
import type { Operation } from '../document/operations.ts'
import type { Source } from '../document/source.ts'
import { toStableText } from '../json.ts'
import type { Difference, Documents } from './context.ts'

/** The needs of a request: schemes, each with its scopes. */
type Alternative = ReadonlyMap<string, readonly string[]>

/** The differences in what two operations ask of credentials: what was enough has to be enough. */
export function compareSecurity(
  base: Operation,
  revision: Operation,
  documents: Documents,
): readonly Difference[] {
  const old = alternativesOf(base, documents.base)
  const now = alternativesOf(revision, documents.revision)
  const lost = old.filter((one) => !now.some((other) => isEnough(one, other)))
  const won = now.filter((one) => !old.some((other) => isEnough(one, other)))
  const at = ['security']
  if (lost.length > 0) {
    const isScope = lost.some((one) => now.some((other) => isEnough(one, withoutScopes(other))))
    return [
      {
        base: base.pointer,
        revision: revision.pointer,
        rule: isScope ? 'api-security-scope-added' : 'api-security-added',
        level: 'breaking',
        at,
        message: isScope
          ? `${toText(lost)} lacks a required scope`
          : `${toText(lost)} is no longer sufficient`,
      },
    ]
  }
  if (won.length === 0) return []
  const message = `${toText(won)} is sufficient`
  const pointers = { base: base.pointer, revision: revision.pointer }
  return [{ ...pointers, rule: 'api-security-removed', level: 'info', at, message }]
}

/** Whether who has all of one alternative has all of the other. */
function isEnough(has: Alternative, asked: Alternative): boolean {
  return [...asked].every(([scheme, scopes]) => {
    const own = has.get(scheme)
    return own !== undefined && scopes.every((scope) => own.includes(scope))
  })
}

function withoutScopes(asked: Alternative): Alternative {
  return new Map([...asked.keys()].map((scheme) => [scheme, []]))
}

function toText(alternatives: readonly Alternative[]): string {
  return alternatives
    .map((one) =>
      one.size === 0 ? 'no credential' : [...one.keys()].map((key) => key.split(' ')[0]).join(' with '),
    )
    .join(' or ')
}

function alternativesOf({ node }: Operation, source: Source): readonly Alternative[] {
  const given = node['security'] ?? source.root['security']
  if (!Array.isArray(given) || given.length === 0) return [new Map()]
  return given.filter(isRecord).map((one) => {
    const entries = Object.entries(one).map(([name, scopes]): readonly [string, readonly string[]] => [
      toKey(name, source),
      Array.isArray(scopes) ? scopes.filter(isString) : [],
    ])
    return new Map(entries)
  })
}

/** A scheme by what it says: how it is named is no matter of clients. */
function toKey(name: string, source: Source): string {
  const components = source.root['components']
  const schemes = isRecord(components) ? components['securitySchemes'] : undefined
  const scheme = source.resolve(isRecord(schemes) ? schemes[name] : undefined)
  if (!isRecord(scheme)) return name
  const {
    type,
    in: place,
    name: parameter,
    scheme: kind,
    openIdConnectUrl,
  } = { ...scheme, in: scheme['in'] } as Readonly<Record<string, unknown>>
  const http = isString(kind) ? kind.toLowerCase() : kind
  const header = isString(parameter) && place === 'header' ? parameter.toLowerCase() : parameter
  const flows = isRecord(scheme['flows']) ? Object.keys(scheme['flows']).toSorted() : undefined
  return `${name} ${toStableText({ type, place, header, http, openIdConnectUrl, flows })}`.replace(
    /^\S+ /,
    `${String(type)} `,
  )
}
