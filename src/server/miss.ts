import { httpError } from '../errors.ts'
import type { HttpError } from '../errors.ts'
import { METHODS } from '../http.ts'
import { findLeaves } from '../router/find.ts'
import type { Leaf } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import { MAX_VERSION_LENGTH } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import type { Located } from './locate.ts'
import type { Table } from './table.ts'

/** What to answer when nothing matched: an error, or the methods of an OPTIONS request. `vary` tells whether a header decided. */
export type Miss = { readonly vary: boolean } & ({ readonly error: HttpError } | { readonly allow: string })

const OPTIONS = METHODS.indexOf('OPTIONS')

/** Makes the function that tells why nothing matched, in the order of the versioning rules (section 2.3, step 7). */
export function createMiss(
  table: Table,
  enabled: Enabled | undefined,
): (located: Located, method: number) => Miss {
  return ({ match, resolution }, method) => {
    const { path, end } = match
    const start = Math.min(resolution.start, end)
    const at = (node: Table['union'], from: number): readonly Leaf<Endpoint>[] =>
      findLeaves(node, path, from, Math.max(end, from))
    const all = at(table.union, start)
    const vary = all.some(({ shape }) => shape.vary)
    if (all.length === 0)
      return { vary: false, error: httpError('route_not_found', 'Nothing is served at this path') }

    if (resolution.kind === 'none') {
      const answers = method === OPTIONS || !has(all, method)
      return answers ? answer(all, method, vary) : { vary, error: unspecified(all) }
    }
    const own = at(resolution.root, start)
    if (own.length > 0) return answer(own, method, vary)
    switch (resolution.kind) {
      case 'ambiguous':
        return {
          vary,
          error: versionError('ambiguous', all, 'The request names several versions', {
            sources: resolution.sources.map(cutSource),
          }),
        }
      case 'invalid':
        return {
          vary,
          error: versionError(
            'invalid',
            all,
            'The version is not written as this API writes versions',
            requested(),
          ),
        }
      default:
        return {
          vary,
          error: versionError('unsupported', all, 'This version is not served here', requested()),
        }
    }

    function requested(): object {
      return resolution.requested === undefined ? {} : { requested: cut(resolution.requested) }
    }
  }

  function unspecified(leaves: readonly Leaf<Endpoint>[]): HttpError {
    return versionError('unspecified', leaves, `Name the version you want (${enabled?.name ?? ''})`, {})
  }

  function versionError(
    kind: 'unsupported' | 'unspecified' | 'invalid' | 'ambiguous',
    leaves: readonly Leaf<Endpoint>[],
    detail: string,
    members: object,
  ): HttpError {
    const served = new Set(leaves.flatMap(({ shape }) => shape.versions))
    const supported = table.known.list.filter((version) => served.has(version))
    const status = enabled?.statusCodes[kind]
    return httpError(`${kind}_version`, detail, {
      ...members,
      supported,
      ...(status === undefined ? {} : { status }),
    })
  }
}

/** 405 with the methods there are, or those methods for OPTIONS (RFC 9110 section 15.5.6). */
function answer(leaves: readonly Leaf<Endpoint>[], method: number, vary: boolean): Miss {
  const allow = METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  ).join(', ')
  if (method === OPTIONS) return { vary, allow }
  return {
    vary,
    error: httpError('method_not_allowed', `This path answers ${allow}`, { headers: { allow } }),
  }
}

function has(leaves: readonly Leaf<Endpoint>[], method: number): boolean {
  return leaves.some(({ methods }) => methods[method] !== undefined)
}

function cut(text: string): string {
  return text.slice(0, MAX_VERSION_LENGTH)
}

function cutSource(source: { readonly in: string; readonly name: string; readonly value: string }): object {
  return { ...source, value: cut(source.value) }
}
