import type { DefinitionProblem } from '../../definition-error.ts'
import type { FlatRoute } from '../../flatten/flat-route.ts'
import type { SecurityRequirement, SecurityScheme } from '../../define/guard.ts'
import type { SecurityAlternative } from './types.ts'

/** How clients prove who they are, for all routes of a document. */
export interface Security {
  /** What a route asks for: alternatives, none for an open one. */
  readonly of: (route: FlatRoute) => readonly SecurityAlternative[]
  /** Under `#/components/securitySchemes/`. */
  readonly schemes: () => Readonly<Record<string, SecurityScheme>>
  readonly problems: () => readonly DefinitionProblem[]
}

/** Collects what guards ask for. */
export function createSecurity(): Security {
  const schemes = new Map<string, { readonly scheme: SecurityScheme; readonly where: string }>()
  const problems = new Map<string, DefinitionProblem>()
  const note = (name: string, scheme: SecurityScheme, where: string): void => {
    const known = schemes.get(name)
    if (!isScheme(name, scheme)) problems.set(name, noScheme(name, where))
    else if (known === undefined) schemes.set(name, { scheme, where })
    else if (JSON.stringify(known.scheme) !== JSON.stringify(scheme))
      problems.set(name, clash(name, known.where, where))
  }
  return {
    of: ({ layers, label }) => {
      const demands = layers.guards.flatMap(({ part, module }) => {
        const where = `guard ${part.name} of ${module.label}, for ${label}`
        for (const requirement of part.security ?? [])
          for (const [name, scheme] of Object.entries(requirement)) note(name, scheme, where)
        return part.security === undefined || part.security.length === 0 ? [] : [part.security]
      })
      return demands.length === 0 ? [] : together(demands)
    },
    schemes: () => Object.fromEntries([...schemes].map(([name, { scheme }]) => [name, scheme])),
    problems: () => [...problems.values()],
  }
}

/** Every guard has to be satisfied, each by one of its alternatives: one alternative of the whole for each choice. */
function together(demands: readonly (readonly SecurityRequirement[])[]): readonly SecurityAlternative[] {
  // what is the same is left out after each guard, for otherwise the choices multiply
  return demands.reduce<readonly SecurityAlternative[]>(
    (found, alternatives) =>
      unique(
        found.flatMap((chosen) =>
          alternatives.map((requirement) => ({
            ...chosen,
            ...Object.fromEntries(Object.keys(requirement).map((name) => [name, []])),
          })),
        ),
      ),
    [{}],
  )
}

function unique(choices: readonly SecurityAlternative[]): readonly SecurityAlternative[] {
  return [
    ...new Map(choices.map((choice) => [JSON.stringify(Object.keys(choice).toSorted()), choice])).values(),
  ]
}

/** Names are keys of components (OpenAPI 3.1 section 4.8.7). */
function isScheme(name: string, scheme: unknown): boolean {
  return /^[\w.-]+$/.test(name) && typeof scheme === 'object' && scheme !== null && 'type' in scheme
}

function noScheme(name: string, where: string): DefinitionProblem {
  return {
    code: 'invalid_field',
    where,
    message: `security names ${JSON.stringify(name)}, which is not a security scheme`,
    fix: 'write security: [{ partner: { type: \'apiKey\', in: \'header\', name: \'x-key\' } }], with names of letters, digits, ".", "-" and "_"',
  }
}

function clash(name: string, first: string, second: string): DefinitionProblem {
  return {
    code: 'duplicate_security_scheme',
    where: second,
    message: `the security scheme "${name}" is another one in ${first}`,
    fix: 'give one of the guards another name',
  }
}
