import {
  checkOptions,
  type OptionRule,
  type DefinitionWarning,
  type Rules,
} from '../../base/definition-error.ts'
import {
  isObject,
  requireSync,
  isPromise,
  isBoolean,
  isFunction,
  isNonEmptyString,
  isString,
  type Awaitable,
} from '../../base/values.ts'
import type { HttpRequest } from '../../http/http.ts'
import { isMediaToken, parseMediaType, quoteUnlessToken, type MediaType } from '../../http/media-type.ts'

/** A place where a request named a version. */
export interface VersionSource {
  /** The part of the request: `path`, `header`, `query`, `host`, or the name of an own scheme. */
  readonly in: string
  /** The name of the header or parameter. */
  readonly name: string
  /** The version as it was sent. */
  readonly value: string
}

/** One place that may hold one version holds several. */
export interface AmbiguousVersion {
  /** The places and their different values. */
  readonly ambiguous: readonly VersionSource[]
}

/** The value that a scheme reads: a version, versions in order of preference, several that contradict each other, or none. */
export type VersionValue = string | readonly string[] | AmbiguousVersion | undefined

/** The statuses a scheme answers version errors with. */
export interface VersionStatusCodes {
  /** The status for a version that is unknown or not served at the path. */
  readonly unsupported: number
  /** The status for a request that names no version though it has to. */
  readonly unspecified: number
  /** The status for a malformed version. */
  readonly invalid: number
  /** The status for versions that contradict each other. */
  readonly ambiguous: number
  /** After the sunset of a version whose policy is `'gone'`. */
  readonly retired: number
}

/** A scheme with its options: one way for versions to travel, where there are several. */
export interface SchemeUse {
  /** The scheme. */
  readonly scheme: VersioningScheme<never>
  /** The options of the scheme. */
  readonly options: object
}

/** The parts of a request that a scheme can write a version into. */
export interface RequestDraft {
  /** The path, without query. */
  readonly path: string
  /** The query by name. */
  readonly query: Readonly<Record<string, string>>
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The host with its port. */
  readonly host: string
  /** The path before a version segment: the prefix of the application, or `''` for none and for routes without it. */
  readonly prefix: string
}

/** How a version travels with a request. Made by `defineVersioningScheme`; the built-in ones are `VersioningSchemes`. */
export interface VersioningScheme<O> {
  /** The name in messages. */
  readonly name: string
  /** Creates the function that reads the version of a request. `canonical` returns one text for all texts of one version. */
  readonly reader: (
    options: O,
    canonical: (version: string) => string,
  ) => (request: HttpRequest) => Awaitable<VersionValue>
  /** Returns the changes to a request so that it asks for a version, or `undefined` if a scheme cannot write. */
  readonly write: ((draft: RequestDraft, version: string, options: O) => Partial<RequestDraft>) | undefined
  /** The request headers that a response depends on because of this scheme. */
  readonly vary: (options: O) => readonly string[]
  /** The statuses of version errors. */
  readonly statusCodes: VersionStatusCodes
  /** For versions in the path: the segments that stand for a version, first the one to write. */
  readonly segments: ((version: string, options: O) => readonly string[]) | undefined
  /** For versions in the path: the version that a segment seems to name. */
  readonly candidate: ((segment: string, options: O) => string | undefined) | undefined
  /** Why a version cannot be written in this scheme, or `undefined` if it can. */
  readonly problem: (version: string, options: O) => string | undefined
  /** Returns the text that the scheme writes before a version in a path, or `undefined` for schemes that write no paths. */
  readonly before: (options: O) => string | undefined
  /** How a declared version looks when it is read. */
  readonly fold: (version: string, options: O) => string
  /** Why options, each of which is right, do not go together, or `undefined` if they do. */
  readonly contradiction: (options: O) => string | undefined
  /** Lists the surprises in the options. */
  readonly warnings: (
    options: O,
    isKnown: (version: string) => boolean,
  ) => readonly Omit<DefinitionWarning, 'where'>[]
  /** The options this scheme knows, besides the common ones, or `undefined` for any. */
  readonly options: Readonly<Record<string, OptionRule>> | undefined
  /** The query parameter that carries the version: hidden from handlers whose schema does not declare it. */
  readonly queryParameter: (options: O) => string | undefined
  /** Where the version stands, for problem documents. */
  readonly source: (options: O) => Omit<VersionSource, 'value'>
  /** The response header that tells the version used, or `undefined` if the scheme has none of its own. */
  readonly echo: (options: O) => string | undefined
  /** The content type that tells the version used, for `echo: 'contentType'`. */
  readonly contentType: (type: string, version: string, options: O) => string
  /** Further places that these options make it read: they are used as schemes of their own, after it. */
  readonly companions: (options: O) => readonly SchemeUse[]
}

/** The options of `defineVersioningScheme`. */
export interface VersioningSchemeDefinition<O> {
  /** Names the scheme in messages. */
  readonly name: string
  /**
   * Reads the version: one, several in order of preference, or `undefined` for none.
   * Versions longer than 64 characters count as unknown.
   */
  read(request: HttpRequest, options: O): Awaitable<string | readonly string[] | undefined>
  /** Returns the changes to a request so that it asks for `version`; serves `inject({ version })`. */
  write?(request: RequestDraft, version: string, options: O): Partial<RequestDraft>
  /** The request headers that `read` looks at: they are added to `Vary`. */
  readonly vary?: readonly string[]
  /** The statuses of version errors. @default unsupported 404, retired 410, the others 400 */
  readonly statusCodes?: Partial<VersionStatusCodes>
  /** Explains where the version stands, for documents. */
  readonly describe?: string
}

/** Whether the value is a scheme: one of `VersioningSchemes`, or made by `defineVersioningScheme`. */
export function isScheme(value: unknown): value is VersioningScheme<never> {
  return isObject(value) && 'reader' in value && 'statusCodes' in value
}

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
  token: [(value) => typeof value === 'string' && isMediaToken(value), 'a name of letters, digits and -'],
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
  contentType: (type: string, version: string): string => mediaTypeWithVersion(type, version, {}),
  companions: (): readonly SchemeUse[] => [],
} as const

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isString)
const DEFINITION: Rules = {
  name: [isNonEmptyString, "a name, such as 'account'"],
  read: [isFunction, "a function, such as (request) => request.header('x-version')"],
  write: [isFunction, "a function, such as (draft, version) => ({ headers: { 'x-version': version } })"],
  vary: [isTextList, "a list of headers, such as ['x-version']"],
  statusCodes: OPTION_RULES.statusCodes,
  describe: [isString, 'a string'],
}

/** Completes a scheme that was defined outside. */
export function completeScheme<O extends object>(
  definition: VersioningSchemeDefinition<O>,
): VersioningScheme<O> {
  checkOptions('defineVersioningScheme', definition, DEFINITION)
  const { name, vary = [], statusCodes } = definition
  return {
    ...PLAIN_SCHEME,
    name,
    reader: (options) => (request) => {
      const value = definition.read(request, options)
      return isPromise(value) ? value.then(toVersionValue) : toVersionValue(value)
    },
    write:
      definition.write === undefined
        ? undefined
        : (draft, version, options) =>
            requireSync(`write of ${name}`, definition.write?.(draft, version, options)) ?? {},
    vary: () => vary.map((header) => header.toLowerCase()),
    statusCodes: { ...DEFAULT_STATUS_CODES, ...statusCodes },
    source: () => ({ in: name, name: definition.describe ?? name }),
    options: undefined,
  }
}

/** A list without empty texts; one version stands alone. */
function toVersionValue(value: string | readonly string[] | undefined): VersionValue {
  if (typeof value !== 'object') return value
  const versions = value.filter((version) => version !== '')
  return versions.length > 1 ? versions : versions[0]
}

/** How a version stands in a media type. */
export interface MediaOptions {
  readonly versionParameter?: string
  readonly mediaType?: string
}

/** A template such as `application/vnd.shop.v{version}+json`, in lower case, around its version. */
interface Template {
  readonly before: string
  readonly after: string
}

const PLACE = '{version}'
const JSON_TYPE = 'application/json'

/** Whether the text is `type/subtype` with one `{version}` in its subtype. */
export function isTemplate(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const [type = '', subtype = '', ...more] = text.split('/')
  const parts = subtype.split(PLACE)
  return more.length === 0 && parts.length === 2 && isName(type) && isName(parts.join('0'))
}

function isName(text: string): boolean {
  return isMediaToken(text) && !text.includes('*')
}

/** Creates the function that finds the version in a media type: in its name where it is one of the template, else in its parameter. */
export function createVersionOf(options: MediaOptions): (type: MediaType) => string | undefined {
  const { versionParameter = 'version' } = options
  const parameter = versionParameter.toLowerCase()
  const template = mediaTemplate(options)
  if (template === undefined) return (type) => mediaParameter(type, parameter)
  return (type) => {
    const named = versionIn(type.type, template)
    // media types are the same in any case, and so are versions wherever they may be part of one
    return named ?? mediaParameter(type, parameter)?.toLowerCase()
  }
}

/** The value of a parameter, of the first of that name, or `undefined` if there is none or it is empty. */
function mediaParameter({ parameters }: MediaType, name: string): string | undefined {
  return parameters.find(([parameter]) => parameter === name)?.[1] || undefined
}

/** How a version looks when it is read: where it may be part of a media type, in lower case. */
export function foldVersion(version: string, { mediaType }: MediaOptions): string {
  return mediaType === undefined ? version : version.toLowerCase()
}

/** The media type of the template for a version, or `undefined` without template. */
export function vendorType({ mediaType }: MediaOptions, version: string): string | undefined {
  // not by replace: its second argument has a grammar of its own
  return mediaType?.split(PLACE).join(version)
}

/** The parameter that tells the version, as it is written in a header. */
export function versionPair({ versionParameter = 'version' }: MediaOptions, version: string): string {
  return `${versionParameter}=${quoteUnlessToken(version)}`
}

/** A content type that tells the version: JSON has the type of the template, everything else the parameter. One that tells it stays. */
export function mediaTypeWithVersion(text: string, version: string, options: MediaOptions): string {
  const type = parseMediaType(text)
  if (type !== undefined && createVersionOf(options)(type) !== undefined) return text
  const vendor = vendorType(options, version)
  return vendor !== undefined && type?.type === JSON_TYPE
    ? vendor + text.slice(JSON_TYPE.length)
    : `${text}; ${versionPair(options, version)}`
}

function mediaTemplate({ mediaType }: MediaOptions): Template | undefined {
  if (mediaType === undefined) return undefined
  const [before = '', after = ''] = mediaType.toLowerCase().split(PLACE)
  return { before, after }
}

function versionIn(type: string, { before, after }: Template): string | undefined {
  const isOne = type.length > before.length + after.length && type.startsWith(before) && type.endsWith(after)
  return isOne ? type.slice(before.length, type.length - after.length) : undefined
}
