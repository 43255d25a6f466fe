import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isObject, isRecord } from '../../base/values.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { hasScopes, scopesOf, type SecurityRequirement, type SecurityScheme } from '../../define/layers.ts'
import type { SecurityAlternative } from './types.ts'

/** How clients prove who they are, for all routes of a document. */
export interface DocumentSecurity {
  /** The requirements of a route: alternatives, none for an open one. */
  readonly of: (route: ResolvedRoute) => readonly SecurityAlternative[]
  /** Under `#/components/securitySchemes/`. */
  readonly schemes: () => Readonly<Record<string, SecurityScheme>>
  readonly problems: () => readonly DefinitionProblem[]
}

/** Collects what guards ask for. */
export function createSecurity(): DocumentSecurity {
  const schemes = new Map<string, { readonly scheme: SecurityScheme; readonly where: string }>()
  const problems = new Map<string, DefinitionProblem>()
  const note = (name: string, scheme: SecurityScheme, where: string): void => {
    const known = schemes.get(name)
    // names are keys of components (OpenAPI 3.1 section 4.8.7)
    if (!/^[\w.-]+$/.test(name) || !isObject(scheme) || !('type' in scheme))
      problems.set(name, {
        code: 'invalid_field',
        where,
        message: `security names ${JSON.stringify(name)}, which is not a security scheme`,
        fix: 'write security: [{ partner: { type: \'apiKey\', in: \'header\', name: \'x-key\' } }], with names of letters, digits, ".", "-" and "_"',
      })
    else if (known === undefined) schemes.set(name, { scheme, where })
    else if (JSON.stringify(known.scheme) !== JSON.stringify(scheme))
      problems.set(name, {
        code: 'duplicate_security_scheme',
        where,
        message: `the security scheme "${name}" is another one in ${known.where}`,
        fix: 'give one of the guards another name',
      })
  }
  return {
    of: ({ layers, label }) => {
      const demands = layers.guards.flatMap(({ part, module }) => {
        const where = `guard ${part.name} of ${module.label}, for ${label}`
        for (const requirement of part.security ?? [])
          for (const [name, scheme] of Object.entries(requirement)) note(name, scheme, where)
        return part.security === undefined || part.security.length === 0 ? [] : [part.security]
      })
      if (demands.length === 0) return []
      const met = toChoices(demands).map(({ schemes: chosen, scopes }): SecurityAlternative => {
        const written = Object.entries(chosen).map(([name, { scheme, scopes: own }]) => {
          const all = hasScopes(scheme) ? [...own, ...scopes] : own
          return [name, [...new Set(all)].toSorted()] as const
        })
        return Object.fromEntries(written)
      })
      if (met.length === 0) problems.set(label, noToken(label, demands.flat()))
      return uniqueChoices(met)
    },
    schemes: () => Object.fromEntries([...schemes].map(([name, { scheme }]) => [name, scheme])),
    problems: () => [...problems.values()],
  }
}

/** One way to satisfy guards. */
interface SchemeChoice {
  /** The schemes by name, with the scopes that their guards need. */
  readonly schemes: Readonly<Record<string, Demand>>
  /** Whether a guard found the scopes of a token, for the guards behind it. */
  readonly hasToken: boolean
  /** The scopes that other guards need. */
  readonly scopes: readonly string[]
}

interface Demand {
  readonly scheme: SecurityScheme
  readonly scopes: readonly string[]
}

const NO_DEMANDS: SchemeChoice = { schemes: {}, hasToken: false, scopes: [] }

/** Every guard has to be satisfied, each by one of its alternatives: one alternative of the whole for each choice. */
function toChoices(demands: readonly (readonly SecurityRequirement[])[]): readonly SchemeChoice[] {
  // equal choices are removed after each guard, because they multiply
  return demands.reduce<readonly SchemeChoice[]>(
    (found, alternatives) =>
      uniqueChoices(
        found.flatMap((chosen) => alternatives.flatMap((requirement) => addRequirement(chosen, requirement))),
      ),
    [NO_DEMANDS],
  )
}

/** A choice that also satisfies a requirement, none if that needs scopes and no guard before it found a token. */
function addRequirement(chosen: SchemeChoice, requirement: SecurityRequirement): readonly SchemeChoice[] {
  const needed = scopesOf(requirement)
  const scopes = needed ?? []
  const schemes = Object.entries(requirement)
  if (schemes.length === 0) {
    if (needed !== undefined && !chosen.hasToken) return []
    return [{ ...chosen, scopes: [...new Set([...chosen.scopes, ...scopes])] }]
  }
  const own = schemes.map(([name, scheme]) => {
    const before = chosen.schemes[name]?.scopes ?? []
    return [name, { scheme, scopes: [...new Set([...before, ...scopes])] }] as const
  })
  const all = { ...chosen.schemes, ...Object.fromEntries(own) }
  return [{ ...chosen, schemes: all, hasToken: chosen.hasToken || needed !== undefined }]
}

function uniqueChoices<C extends object>(choices: readonly C[]): readonly C[] {
  return [...new Map(choices.map((choice) => [choiceKey(choice), choice])).values()]
}

/** Returns equal texts for objects with equal members, whose order doesn't matter. */
function choiceKey(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

function noToken(where: string, requirements: readonly SecurityRequirement[]): DefinitionProblem {
  const scopes = requirements
    .filter((requirement) => Object.keys(requirement).length === 0)
    .flatMap((requirement) => scopesOf(requirement) ?? [])
  return {
    code: 'invalid_field',
    where,
    message: `a guard needs the scope ${scopes[0]}, and no guard of jwtAuth is before it`,
    fix: 'add a guard of jwtAuth before scopes, to the route or above it',
  }
}
