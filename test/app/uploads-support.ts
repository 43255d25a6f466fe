import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for temporary files, and what is in it. */
export interface Folder {
  readonly path: string
  readonly list: () => readonly string[]
  readonly remove: () => void
}

export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'octavo-uploads-'))
  return {
    path,
    list: () => readdirSync(path),
    remove: () => rmSync(path, { recursive: true }),
  }
}

/** One part of a body that is written by hand. */
export interface PartText {
  /** Header lines. */
  readonly head: readonly string[]
  readonly body: string
}

export function fieldPart(name: string, body: string): PartText {
  return { head: [`Content-Disposition: form-data; name="${name}"`], body }
}

export function filePart(
  name: string,
  filename: string,
  body: string,
  type = 'application/octet-stream',
): PartText {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="${filename}"`
  return { head: [disposition, `Content-Type: ${type}`], body }
}

/** The content type of bodies that are written by hand. */
export const MULTIPART = { 'content-type': 'multipart/form-data; boundary=bound' } as const

/** A multipart body as bytes; characters are bytes. */
export function toBytes(parts: readonly PartText[], end = '--bound--\r\n'): Buffer {
  const texts = parts.map(({ head, body }) => `--bound\r\n${head.join('\r\n')}\r\n\r\n${body}\r\n`)
  return Buffer.from(texts.join('') + end, 'latin1')
}
