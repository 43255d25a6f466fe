/** Limits of a `multipart/form-data` body. */
export interface UploadLimits {
  /** Bytes of one file. @default as many as the body may have */
  readonly fileSize?: number
  /** Files in one request. @default 10 */
  readonly files?: number
  /** Fields in one request. @default 100 */
  readonly fields?: number
  /** Bytes of a field's value. @default 65536 */
  readonly fieldSize?: number
  /** Bytes of the name of a field or file. @default 200 */
  readonly nameSize?: number
}

/** The limits of routes and applications that set none. */
export const DEFAULT_UPLOAD_LIMITS: Required<UploadLimits> = {
  fileSize: Number.MAX_SAFE_INTEGER,
  files: 10,
  fields: 100,
  fieldSize: 65_536,
  nameSize: 200,
}

/** How the expectation reads in a message. */
export const UPLOAD_LIMITS_EXPECTED = `numbers for ${Object.keys(DEFAULT_UPLOAD_LIMITS).join(', ')}`

/** Whether the value holds limits of uploads, and nothing else. */
export function isUploadLimits(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([name, limit]) =>
        Object.hasOwn(DEFAULT_UPLOAD_LIMITS, name) &&
        (limit === undefined || (Number.isSafeInteger(limit) && Number(limit) >= 0)),
    )
  )
}
