import { isToken, parseMediaType, quoteUnlessToken, type MediaType } from '../../http/media-type.ts'

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

/** Whether the text is a token, and no wildcard. */
function isName(text: string): boolean {
  return isToken(text) && !text.includes('*')
}

/** Creates the function that finds the version in a media type: in its name where it is one of the template, else in its parameter. */
export function createVersionOf(options: MediaOptions): (type: MediaType) => string | undefined {
  const { versionParameter = 'version' } = options
  const parameter = versionParameter.toLowerCase()
  const template = templateOf(options)
  if (template === undefined) return (type) => parameterOf(type, parameter)
  return (type) => {
    const named = versionIn(type.type, template)
    // media types are the same in any case, and so are versions wherever they may be part of one
    return named ?? parameterOf(type, parameter)?.toLowerCase()
  }
}

/** The value of a parameter, of the first of that name, or `undefined` if there is none or it is empty. */
function parameterOf({ parameters }: MediaType, name: string): string | undefined {
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
export function withVersion(text: string, version: string, options: MediaOptions): string {
  const type = parseMediaType(text)
  if (type !== undefined && createVersionOf(options)(type) !== undefined) return text
  const vendor = vendorType(options, version)
  return vendor !== undefined && type?.type === JSON_TYPE
    ? vendor + text.slice(JSON_TYPE.length)
    : `${text}; ${versionPair(options, version)}`
}

function templateOf({ mediaType }: MediaOptions): Template | undefined {
  if (mediaType === undefined) return undefined
  const [before = '', after = ''] = mediaType.toLowerCase().split(PLACE)
  return { before, after }
}

function versionIn(type: string, { before, after }: Template): string | undefined {
  const isOne = type.length > before.length + after.length && type.startsWith(before) && type.endsWith(after)
  return isOne ? type.slice(before.length, type.length - after.length) : undefined
}
