import type { OptionRule } from '../../base/check-options.ts'
import { atOnce, isPromise } from '../../base/async.ts'
import { isToken } from '../../http/media-type.ts'
import { isBoolean, isObject, isString } from '../../base/values.ts'
import { withVersion } from './media-version.ts'
import type {
  SchemeUse,
  VersioningScheme,
  VersioningSchemeDefinition,
  VersionStatusCodes,
  VersionValue,
} from './scheme.ts'

export const DEFAULT_STATUS_CODES: VersionStatusCodes = {
  unsupported: 404,
  unspecified: 400,
  invalid: 400,
  ambiguous: 400,
  retired: 410,
}

/** The rules of options that several schemes have. */
export const OPTION_RULES = {
  flag: [isBoolean, 'true or false'],
  text: [isString, 'a string'],
  token: [(value) => typeof value === 'string' && isToken(value), 'a name of letters, digits and -'],
  statusCodes: [
    isStatusCodes,
    'statuses from 400 to 499 for unsupported, unspecified, invalid, ambiguous and retired',
  ],
} as const satisfies Readonly<Record<string, OptionRule>>

/** Whether the value holds statuses of version errors. */
export function isStatusCodes(value: unknown): value is Partial<VersionStatusCodes> {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, status]) =>
        Object.hasOwn(DEFAULT_STATUS_CODES, name) &&
        (status === undefined || (Number.isInteger(status) && status >= 400 && status <= 499)),
    )
  )
}

/** Why addresses cannot hold a version: they are UTF-8, which has no half surrogate pairs. */
export function textProblem(version: string): string | undefined {
  return /\p{Surrogate}/u.test(version) ? 'addresses cannot hold half a surrogate pair' : undefined
}

/** The members of schemes without anything special. */
export const PLAIN_SCHEME = {
  write: undefined,
  segments: undefined,
  candidate: undefined,
  statusCodes: DEFAULT_STATUS_CODES,
  fold: (version: string): string => version,
  problem: (): undefined => undefined,
  before: (): undefined => undefined,
  contradiction: (): undefined => undefined,
  warnings: (): readonly [] => [],
  queryParameter: (): undefined => undefined,
  echo: (): undefined => undefined,
  contentType: (type: string, version: string): string => withVersion(type, version, {}),
  companions: (): readonly SchemeUse[] => [],
} as const

/** Completes a scheme that was defined outside. */
export function toScheme<O extends object>(definition: VersioningSchemeDefinition<O>): VersioningScheme<O> {
  const { name, vary = [], statusCodes } = definition
  return {
    ...PLAIN_SCHEME,
    name,
    reader: (options) => (request) => {
      const value = definition.read(request, options)
      return isPromise(value) ? value.then(toValue) : toValue(value)
    },
    write:
      definition.write === undefined
        ? undefined
        : (draft, version, options) =>
            atOnce(`write of ${name}`, definition.write?.(draft, version, options)) ?? {},
    vary: () => vary.map((header) => header.toLowerCase()),
    statusCodes: { ...DEFAULT_STATUS_CODES, ...statusCodes },
    source: () => ({ in: name, name: definition.describe ?? name }),
    options: undefined,
  }
}

/** A list without empty texts; one version stands alone. */
function toValue(value: string | readonly string[] | undefined): VersionValue {
  if (typeof value !== 'object') return value
  const versions = value.filter((version) => version !== '')
  return versions.length > 1 ? versions : versions[0]
}
