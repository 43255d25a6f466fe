import { isCount, isObject, isNonEmptyString } from '../base/values.ts'

/** Limits of a `multipart/form-data` body, and where its files are kept while the request lasts. */
export interface UploadLimits {
  /** Bytes of one file; `bodyLimit` is for all of the body. @default as many as the body may have */
  readonly fileSize?: number
  /** Files in one request. @default 10 */
  readonly files?: number
  /** Fields in one request. @default 100 */
  readonly fields?: number
  /** Bytes of a field's value. @default 65536 */
  readonly fieldSize?: number
  /** Bytes of the name of a field or file. @default 200 */
  readonly nameSize?: number
  /** Bytes of the files of one request that are kept in memory; what is more goes to temporary files. @default 1048576 */
  readonly memory?: number
  /** The folder for temporary files. @default the system's own */
  readonly directory?: string
}

/** The limits of routes and applications that set none. The empty directory is the system's own. */
export const DEFAULT_UPLOAD_LIMITS: Required<UploadLimits> = {
  fileSize: Number.MAX_SAFE_INTEGER,
  files: 10,
  fields: 100,
  fieldSize: 65_536,
  nameSize: 200,
  memory: 1_048_576,
  directory: '',
}

/** How the expectation reads in a message. */
export const UPLOAD_LIMITS_EXPECTED = `an object with numbers for ${Object.keys(DEFAULT_UPLOAD_LIMITS)
  .filter((name) => name !== 'directory')
  .join(', ')} and the path of a directory`

/** Whether the value holds limits of uploads, and nothing else. */
export function isUploadLimits(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, limit]) =>
        Object.hasOwn(DEFAULT_UPLOAD_LIMITS, name) &&
        (limit === undefined || (name === 'directory' ? isNonEmptyString(limit) : isCount(limit))),
    )
  )
}
