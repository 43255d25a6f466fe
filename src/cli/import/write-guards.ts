import { formatSource, formatStatement, literalText, quotedText, valueText } from '../format.ts'
import { toCamel, toDistinctNames } from './import-names.ts'
import type { ImportedApi, ImportedOperation } from './read-api.ts'

type SecurityRequirement = ImportedOperation['security']

/** The guards of an API, as source. */
export interface Guards {
  /** Empty without guards. */
  readonly text: string
  /** The guard of an operation, by its alternatives of credentials. */
  readonly nameOf: (operation: ImportedOperation) => string | undefined
  /** The credentials of an operation, if its alternatives need different scopes, which a guard cannot say. */
  readonly scopesOf: (operation: ImportedOperation) => SecurityRequirement | undefined
  /** Whether an operation needs a scheme that the document lacks. */
  readonly isUndeclared: (operation: ImportedOperation) => boolean
}

/** Writes a guard for each combination of schemes and scopes. The API behind checks credentials. */
export function writeGuards({ operations, schemes }: ImportedApi): Guards {
  const found = new Map<string, SecurityRequirement>()
  for (const { security } of operations)
    if (security.some((one) => Object.keys(one).some((name) => name in schemes)))
      found.set(toSchemeKey(security), security)
  const isAlone = (security: SecurityRequirement): boolean =>
    [...found.values()].every((other) => other === security || toSchemes(other) !== toSchemes(security))
  const names = toDistinctNames([...found.keys()], (key) => {
    const security = found.get(key) ?? []
    const words = security.map((one) => Object.keys(one).join(' and ') || 'none').join(' or ')
    return `${toCamel(isAlone(security) ? words : [words, ...scopesIn(security)].join(' '))}Guard`
  })
  const code = [...found].map(([key, security]) => {
    const name = names.get(key) ?? 'guard'
    const options = literalText({
      name: quotedText(name),
      security: valueText(security.map((one) => toRequirement(one, schemes))),
      scopes: valueText(isUniform(security) ? scopesIn(security) : []),
      canActivate: '() => true',
    })
    return formatStatement(`export const ${name} = defineGuard(${options})`)
  })
  const [first, ...others] = code
  const note = '// The API behind checks the credentials. Check them here before a route answers here.'
  return {
    text:
      first === undefined
        ? ''
        : formatSource([[['defineGuard'], 'octavo']], [], [`${note}\n${first}`, ...others]),
    nameOf: ({ security }) => names.get(toSchemeKey(security)),
    scopesOf: ({ security }) => (isUniform(security) ? undefined : security),
    isUndeclared: ({ security }) =>
      security.some((one) => Object.keys(one).some((name) => !(name in schemes))),
  }
}

function toRequirement(one: SecurityRequirement[number], schemes: ImportedApi['schemes']): object {
  return Object.fromEntries(
    Object.keys(one).flatMap((name) => {
      const scheme = Object.entries(schemes[name] ?? {}).filter(([key]) => !key.startsWith('x-'))
      return scheme.length === 0 ? [] : [[name.replaceAll(/[^\w.-]+/g, '_'), Object.fromEntries(scheme)]]
    }),
  )
}

/** The key of a guard. Alternatives that need different scopes share one. */
function toSchemeKey(security: SecurityRequirement): string {
  return isUniform(security) ? JSON.stringify(security) : toSchemes(security)
}

function isUniform(security: SecurityRequirement): boolean {
  const all = security.flatMap((one) => Object.values(one).filter(({ length }) => length > 0))
  const isJoint = security.some((one) => Object.keys(one).length > 1)
  const open = security.filter((one) => Object.values(one).every(({ length }) => length === 0))
  return (
    all.length === 0 ||
    (!isJoint && open.length === 0 && new Set(all.map((scopes) => scopes.join(' '))).size === 1)
  )
}

/** The alternatives of schemes, without scopes. */
function toSchemes(security: SecurityRequirement): string {
  return JSON.stringify(security.map((one) => Object.keys(one)))
}

function scopesIn(security: SecurityRequirement): readonly string[] {
  return [...new Set(security.flatMap((one) => Object.values(one).flat()))]
}
