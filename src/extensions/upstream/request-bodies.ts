import type { SourceName } from '../../schema/sources.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { isMultipart } from '../../server/request/uploads.ts'
import { toSearchParams } from '../../server/request/query.ts'
import type { OutgoingRequest } from './transport.ts'

/** The input of a forwarded route's handler: the sources that were parsed, and the upstream. */
export interface ForwardInput extends Partial<Record<SourceName, unknown>> {
  readonly params: Readonly<Record<string, unknown>>
  readonly inject: object
}

/** The longest body that is sent in one piece, in bytes. */
const SMALL = 65_536

/**
 * The body of a request as it came. A short one is read first, so that a client that sends it slowly takes no connection. A longer one is
 * sent as it arrives. `headers` get its length.
 */
export async function openBody(
  context: RequestContext,
  limit: number | undefined,
  headers: string[],
): Promise<OutgoingRequest['body']> {
  const { raw } = context
  if (context.isBodyRead) {
    // its coding was undone
    dropCoding(headers)
    const bytes = await context.request.bytes()
    return bytes.length === 0 ? null : bytes
  }
  const { length } = raw.body
  const most = limit ?? Number.MAX_SAFE_INTEGER
  if (length !== undefined && length <= SMALL) {
    const bytes = raw.takeArrived?.(Math.min(SMALL, most))
    return bytes ?? raw.body.read(Math.min(SMALL, most))
  }
  if (length !== undefined) headers.push('content-length', String(length))
  return raw.body.chunks(most)
}

function dropCoding(headers: string[]): void {
  for (let at = headers.length - 2; at >= 0; at -= 2)
    if (headers[at] === 'content-encoding') headers.splice(at, 2)
}

/** A converted body, with its content type if that is another one. */
export async function toEncodedBody(
  { body, form, files }: ForwardInput,
  { request }: RequestContext,
): Promise<{ readonly body: Uint8Array | null; readonly type?: string }> {
  if (form !== undefined || files !== undefined) {
    if (!isMultipart(request.header('content-type')))
      return { body: Buffer.from(toSearchParams(Object(form)).toString()) }
    const encoded = new Response(toFormData(Object(form), Object(files)))
    const type = encoded.headers.get('content-type')
    return { body: new Uint8Array(await encoded.arrayBuffer()), ...(type !== null && { type }) }
  }
  if (body === undefined) return { body: null }
  if (body instanceof Uint8Array) return { body }
  return {
    body: Buffer.from(
      typeof body === 'string' && !isJson(request.header('content-type')) ? body : JSON.stringify(body),
    ),
  }
}

function isJson(type: string | undefined): boolean {
  return type === undefined || /[/+]json\b/i.test(type)
}

function toFormData(
  form: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, unknown>>,
): FormData {
  const data = new FormData()
  for (const [name, value] of toSearchParams(form)) data.append(name, value)
  for (const [name, given] of Object.entries(files))
    for (const file of [given].flat()) if (file instanceof Blob) data.append(name, file)
  return data
}
