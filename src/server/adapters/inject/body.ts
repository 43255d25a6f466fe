import type { Awaitable } from '../../../base/values.ts'
import { isAsyncIterable, type BodyStream } from '../../../http/http.ts'
import { toSearchParams } from '../../request/query.ts'
import { JSON_TYPE } from '../../pipeline/response-head.ts'

/** The ways to give `inject` a body; at most one of them. */
export interface BodyOptions {
  /**
   * Objects are sent as JSON, `URLSearchParams` and `FormData` as themselves, text and bytes as they are; Node and web streams and
   * async iterables of bytes or text as they come. When a stream fails, the request rejects with its error.
   */
  readonly body?: unknown
  /** Sent as JSON, whatever it is. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: FormValues | URLSearchParams
  /** Sent as `multipart/form-data`: texts are fields, blobs and files are files; a list repeats the name. */
  readonly multipart?: FormData | MultipartValues
}

/** Values that can stand in a multipart body. */
export type MultipartValues = Readonly<Record<string, string | Blob | readonly (string | Blob)[] | undefined>>

/** Values that can stand in a query or a form: lists repeat the name, `null` and `undefined` are dropped. */
export type FormValues = Readonly<Record<string, unknown>>

/** An encoded body; one that comes as a stream is not read yet. */
export interface EncodedBody {
  readonly bytes: Uint8Array | BodyStream
  readonly type: string | undefined
}

const NOTHING: EncodedBody = { bytes: new Uint8Array(0), type: undefined }

/** Encodes the body that the options describe; empty when they give none. Takes time for what the web platform encodes. */
export function toBody({ body, json, form, multipart }: BodyOptions): Awaitable<EncodedBody> {
  if (json !== undefined) return jsonBody(json)
  if (form !== undefined) return webBody(form instanceof URLSearchParams ? form : toSearchParams(form))
  if (multipart !== undefined)
    return webBody(multipart instanceof FormData ? multipart : toFormData(multipart))
  return encode(body)
}

function encode(given: unknown): Awaitable<EncodedBody> {
  if (given === undefined || given === null) return NOTHING
  if (typeof given === 'string') return { bytes: Buffer.from(given), type: undefined }
  if (given instanceof Uint8Array) return { bytes: given, type: undefined }
  if (given instanceof ArrayBuffer) return { bytes: new Uint8Array(given), type: undefined }
  if (given instanceof URLSearchParams || given instanceof FormData || given instanceof Blob)
    return webBody(given)
  return isAsyncIterable(given) ? { bytes: given, type: undefined } : jsonBody(given)
}

function jsonBody(value: unknown): EncodedBody {
  return { bytes: Buffer.from(JSON.stringify(value)), type: JSON_TYPE }
}

async function webBody(body: URLSearchParams | FormData | Blob): Promise<EncodedBody> {
  const response = new Response(body)
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    type: response.headers.get('content-type') ?? undefined,
  }
}

/** A part of a form. @throws `TypeError` for what would be sent as "[object Object]" */
function toPart(name: string, item: unknown): string | Blob {
  if (item instanceof Blob || typeof item === 'string') return item
  if (typeof item === 'number' || typeof item === 'boolean') return String(item)
  throw new TypeError(`inject: multipart.${name} is not text or a blob, or a list of these`)
}

function toFormData(values: MultipartValues): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) {
    for (const item of [value].flat()) if (item !== undefined) form.append(name, toPart(name, item))
  }
  return form
}
