import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { FitRoute, Interceptor } from '../../define/interceptor.ts'
import type { Method } from '../../http/http.ts'
import type { VersionSpec } from '../../versioning/version.ts'

/** An interceptor that `idempotency` has created. */
interface Own {
  readonly methods: readonly Method[]
  /** Creates the same one for routes of a version. */
  readonly forVersion: (version: VersionSpec) => Interceptor
}

/** The key of what an interceptor says of itself, which every copy of the package knows. */
const OWN: unique symbol = Symbol.for('octavo.idempotency')

export function rememberInterceptor(interceptor: Interceptor, own: Own): void {
  Object.defineProperty(interceptor, OWN, { value: own })
}

function ownOf(interceptor: Interceptor & { readonly [OWN]?: Own }): Own | undefined {
  return interceptor[OWN]
}

/** Whether requests of a route can have a key, so that their input is compared. */
export function comparesInput({
  methods,
  layers,
}: {
  readonly methods: readonly Method[]
  readonly layers: { readonly interceptors: readonly { readonly part: Interceptor }[] }
}): boolean {
  return layers.interceptors.some(
    ({ part }) => ownOf(part)?.methods.some((one) => methods.includes(one)) === true,
  )
}

/**
 * Leaves out the interceptors that have nothing to do: on routes without one of their methods, on those whose requests or results cannot be
 * kept, and on those that have another one of their own. A route that lists one itself is a mistake then. In an application with several
 * routes of one name, each has one for its version, because their results differ.
 */
export const fitIdempotency: FitRoute = (route, problems) => {
  const { interceptors, responses, methods, version } = route
  const found = interceptors.filter(({ part }) => ownOf(part) !== undefined)
  const innermost = found.at(-1)
  const reason = whyNot(route)
  const kept = found.filter(
    (each) =>
      each === innermost &&
      reason === undefined &&
      ownOf(each.part)?.methods.some((one) => methods.includes(one)),
  )
  for (const { part } of found) {
    if (route.route.interceptors?.includes(part) !== true || kept.some((each) => each.part === part)) continue
    const its = ownOf(part)?.methods ?? []
    const twice = its.some((one) => methods.includes(one)) ? 'twice' : `which is for ${its.join(', ')}`
    const problem: DefinitionProblem = {
      code: 'invalid_field',
      where: route.label,
      message: `interceptors has idempotency(), ${reason ?? twice}`,
      fix:
        reason === undefined
          ? 'remove it, or give the method in its option methods'
          : 'remove it, or split the route',
    }
    problems.push(problem)
  }
  return {
    interceptors: interceptors
      .filter((each) => !found.includes(each) || kept.includes(each))
      .map((each) => {
        const made = version === undefined ? undefined : ownOf(each.part)?.forVersion(version)
        return made === undefined ? each : { ...each, part: made }
      }),
    responses,
  }
}

/** Why requests of a route cannot be compared, or results not kept. */
function whyNot({
  isStream,
  sources,
  route,
}: Pick<Parameters<FitRoute>[0], 'isStream' | 'sources' | 'route'>): string | undefined {
  if (isStream) return 'and a stream cannot be kept'
  if (route.upgrade !== undefined) return 'and a connection cannot be kept'
  if (sources.some(({ name }) => name === 'files')) return 'and the route reads files, which are not compared'
  return undefined
}
