import { createHash } from 'node:crypto'

import type { BodyStream } from '../../http/http.ts'
import type { Span } from './ranges.ts'
import type { Validators } from './conditions.ts'

/** The content of a file result, wherever it lies. */
export interface Content extends Validators {
  /** In bytes. */
  readonly size: number
  /** The content type of the name or of its owner, or `undefined`. */
  readonly type: string | undefined
  /** Reads a part, and lets go of what it lies in when that has ended or is given up. */
  read(span: Span): Promise<BodyPart> | BodyPart
  /** Lets go of what it lies in when nothing is read. */
  close(): void
}

/** A part of a content, as a response takes it. */
export type BodyPart = Uint8Array | BodyStream

/** Returns the content of a source in memory. */
export function toContent(source: Uint8Array | Blob, hasTag: boolean): Content {
  return source instanceof Uint8Array ? ofBytes(source, hasTag) : ofBlob(source)
}

function ofBytes(bytes: Uint8Array, hasTag: boolean): Content {
  return {
    size: bytes.length,
    type: undefined,
    etag: hasTag ? toTag(bytes) : undefined,
    modified: undefined,
    read: ({ start, end }) => bytes.subarray(start, end),
    close: () => undefined,
  }
}

/** A blob may lie in a file, so it is not read as a whole to make an entity tag of it. */
function ofBlob(blob: Blob): Content {
  const modified = 'lastModified' in blob ? toSeconds(Number(blob.lastModified)) : undefined
  return {
    size: blob.size,
    type: blob.type === '' ? undefined : blob.type,
    etag: undefined,
    modified,
    read: ({ start, end }) => blob.slice(start, end).stream(),
    close: () => undefined,
  }
}

/** A strong entity tag of bytes or text: the same for the same bytes alone. */
export function toTag(bytes: Uint8Array | string): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
}

/**
 * Milliseconds cut to whole seconds, as HTTP dates are, or `undefined` for a time that none can name, for their years have four digits
 * (RFC 9110 section 5.6.7).
 */
export function toSeconds(milliseconds: number): number | undefined {
  const seconds = Math.floor(milliseconds / 1_000) * 1_000
  return seconds >= YEAR_0 && seconds < YEAR_10000 ? seconds : undefined
}

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z')
