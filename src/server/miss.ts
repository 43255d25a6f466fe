import { httpError } from '../errors.ts'
import type { HttpError } from '../errors.ts'
import { METHODS } from '../http.ts'
import { findLeaves } from '../router/find.ts'
import type { Leaf, Node } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import { MAX_VERSION_LENGTH } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import type { Located, Resolution } from './resolution.ts'
import type { Table } from './table.ts'

/** What to answer when nothing matched: an error, or the methods of an OPTIONS request. `vary`: whether a header decided. */
export type MissAnswer = { readonly vary: boolean } & (
  | { readonly error: HttpError }
  | { readonly allow: string }
)

/** Tells why nothing matched. */
export type Miss = (located: Located, method: number) => MissAnswer

type Leaves = readonly Leaf<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')

/** The kinds of version errors, by what was wrong, with what to say. */
const FAULTS = {
  ambiguous: 'The request names several versions',
  invalid: 'The version is not written as this API writes versions',
  unsupported: 'This version is not served here',
  unspecified: 'The request names no version',
} as const

/** Makes the function that tells why nothing matched, in the order of the versioning rules (section 2.3, step 7). */
export function createMiss(table: Table, enabled: Enabled | undefined): Miss {
  return ({ match, resolution }, method) => {
    const start = Math.min(resolution.start, match.end)
    const at = (root: Node<Endpoint>): Leaves => findLeaves(root, match.path, start, match.end)
    const all = at(resolution.union)
    const vary = all.some(({ shape }) => shape.vary)
    if (all.length === 0) {
      return { vary: false, error: httpError('route_not_found', 'Nothing is served at this path') }
    }
    if (resolution.kind === 'none') {
      const answers = method === OPTIONS || !all.some(({ methods }) => methods[method] !== undefined)
      return answers ? answer(all, method, vary) : { vary, error: versionError('unspecified', all, {}) }
    }
    const own = at(resolution.root)
    if (own.length > 0 && !(isUnreadable(resolution) && all.some(isVersioned))) {
      return answer(own, method, vary)
    }
    return { vary, error: faultOf(resolution, all) }
  }

  function faultOf({ kind, requested, sources }: Resolution, leaves: Leaves): HttpError {
    if (kind === 'ambiguous') return versionError(kind, leaves, { sources: sources.map(cutSource) })
    const members = requested === undefined ? {} : { requested: cut(requested) }
    return versionError(kind === 'invalid' ? kind : 'unsupported', leaves, members)
  }

  function versionError(fault: keyof typeof FAULTS, leaves: Leaves, members: object): HttpError {
    const served = new Set(leaves.flatMap(({ shape }) => shape.versions))
    const supported = table.known.list.filter((version) => served.has(version))
    const status = enabled?.statusCodes[fault]
    return httpError(`${fault}_version`, FAULTS[fault], {
      ...members,
      supported,
      ...(status === undefined ? {} : { status }),
    })
  }
}

/** Whether the version cannot be read: where versions count, that is told before a wrong method. */
function isUnreadable({ kind }: Resolution): boolean {
  return kind === 'ambiguous' || kind === 'invalid'
}

function isVersioned({ shape }: Leaf<Endpoint>): boolean {
  return shape.versions.length > 0
}

/** 405 with the methods there are, or those methods for OPTIONS (RFC 9110 section 15.5.6). */
function answer(leaves: Leaves, method: number, vary: boolean): MissAnswer {
  const allow = METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  ).join(', ')
  if (method === OPTIONS) return { vary, allow }
  return {
    vary,
    error: httpError('method_not_allowed', `This path answers ${allow}`, { headers: { allow } }),
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_VERSION_LENGTH)
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cut(source.value) }
}
