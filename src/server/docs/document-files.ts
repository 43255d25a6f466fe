import type { RawReply } from '../../define/reply.ts'
import { httpError } from '../../errors.ts'
import type { OpenApiDocument } from '../../openapi/document/types.ts'
import { toTag } from '../../send/content.ts'
import { file } from '../../send/file.ts'
import type { Documents } from './documents.ts'

/** How a document is written. */
export type DocumentFormat = 'json' | 'yaml'

/** The bytes of a document, with their entity tag. */
interface Written {
  readonly bytes: Uint8Array
  readonly etag: string
}

interface Writer {
  readonly type: string
  readonly write: (document: OpenApiDocument) => string | Promise<string>
}

const WRITERS: Readonly<Record<DocumentFormat, Writer>> = {
  json: { type: 'application/json', write: (document) => JSON.stringify(document) },
  // application/yaml has no charset (RFC 9512 section 2.1)
  yaml: {
    type: 'application/yaml',
    write: async (document) => (await import('../../openapi/document/yaml.ts')).toYaml(document),
  },
}

/** Gives documents as files; of all versions without one. @throws `HttpError` 404 for an unknown version. */
export type DocumentFiles = (format: DocumentFormat, version?: string) => Promise<RawReply>

/** Makes what serves documents: each is written once, when it is asked for, and again only when it is another. */
export function createDocumentFiles(documents: Documents): DocumentFiles {
  const written = new WeakMap<OpenApiDocument, Partial<Record<DocumentFormat, Promise<Written>>>>()
  const writtenAs = (document: OpenApiDocument, format: DocumentFormat): Promise<Written> => {
    const forms = written.get(document) ?? {}
    written.set(document, forms)
    return (forms[format] ??= write(document, format))
  }
  return async (format, version) => {
    await documents.load()
    if (version !== undefined) checkVersion(documents, version)
    const { bytes, etag } = await writtenAs(documents.document(version), format)
    return file(bytes, { type: WRITERS[format].type, etag, headers: { 'x-content-type-options': 'nosniff' } })
  }
}

async function write(document: OpenApiDocument, format: DocumentFormat): Promise<Written> {
  const bytes = Buffer.from(await WRITERS[format].write(document))
  return { bytes, etag: toTag(bytes) }
}

/** Versions have one spelling here, so that each document has one address. */
function checkVersion(documents: Documents, version: string): void {
  const versions = documents.versions()
  if (versions.includes(version)) return
  throw httpError('document_not_found', 'There is no document of this version', { versions })
}
