import { once, type Awaitable, importInTurn } from '../../base/values.ts'
import { toFilesPlan } from '../../schema/files.ts'
import type { DeclaredSource } from '../../schema/sources.ts'
import { DEFAULT_UPLOAD_LIMITS } from '../../schema/uploads.ts'
import type { HttpRequest } from '../../http/http.ts'
import { RequestView } from './request.ts'
import type { Upload, UploadPlan } from './upload.ts'

/** Functions that run when a request ends. */
export interface EndHooks {
  /** Has something done when the response has ended. */
  atEnd(work: () => Awaitable<void>): void
}

/** The multipart bodies of one route's requests. */
export interface Uploads {
  /** Reads the body of a request, once: `form` and `files` come out of one parse. */
  readonly read: (request: HttpRequest, lifetime: EndHooks) => Promise<Upload>
  /** Reads no more of the body of a request that is answered. */
  readonly stop: (request: HttpRequest) => void
  /** Whether a handler reads files as they arrive, so that the body may be unread when it is done. */
  readonly streams: boolean
}

/** Loads the parser of multipart bodies: at the start if a route has files, otherwise with the first such body. */
export const loadMultipart = /* @__PURE__ */ once(async () => {
  const [{ Upload: OpenUpload }, { boundaryOf, Multipart }] = await Promise.all([
    importInTurn(() => import('./upload.ts')),
    importInTurn(() => import('./multipart.ts')),
  ])
  return { boundaryOf, Multipart, OpenUpload }
})

/** Whether the content type is `multipart/form-data`, whatever its parameters. */
export function isMultipart(contentType: string | undefined): boolean {
  return contentType !== undefined && /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType)
}

/** Creates the reader of multipart bodies for a route, or `undefined` if none of its sources can be one. */
export function createUploads(sources: readonly DeclaredSource[]): Uploads | undefined {
  const form = sources.find(({ name }) => name === 'form')
  const files = sources.find(({ name }) => name === 'files')
  if (form === undefined && files === undefined) return undefined
  const plan: UploadPlan = { form: form?.plan, files: files && toFilesPlan(files.schema) }
  const all = new WeakMap<HttpRequest, UploadReading>()
  const open = async (reading: UploadReading, request: HttpRequest, lifetime: EndHooks): Promise<Upload> => {
    if (!(request instanceof RequestView))
      throw new TypeError('A multipart body is read from its request alone')
    const { boundaryOf, Multipart, OpenUpload } = await loadMultipart()
    const boundary = boundaryOf(request.header('content-type') ?? '')
    const limits = { ...DEFAULT_UPLOAD_LIMITS, ...request.settings.uploads }
    const chunks = request.isRead ? toChunks(request.bytes()) : request.chunks()
    const parts = new Multipart(chunks, boundary, limits.files + limits.fields)
    const upload = new OpenUpload(plan, limits, parts)
    reading.upload = upload
    lifetime.atEnd(() => upload.close())
    try {
      await upload.read()
    } catch (error) {
      upload.stop()
      throw error
    }
    return upload
  }
  return {
    read: (request, lifetime) => {
      const reading = all.get(request) ?? {}
      all.set(request, reading)
      return (reading.result ??= open(reading, request, lifetime))
    },
    stop: (request) => all.get(request)?.upload?.stop(),
    streams: [...(plan.files?.fields.values() ?? [])].some(({ kind }) => kind.startsWith('stream')),
  }
}

/**
 * A body that a guard has read before, for example to verify its signature.
 *
 * @yields all of it
 */
async function* toChunks(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes
}

/** A body that is being read, or was. */
interface UploadReading {
  result?: Promise<Upload>
  upload?: Upload
}
