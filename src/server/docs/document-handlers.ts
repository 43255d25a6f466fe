import type { ExecutionContext } from '../../define/context.ts'
import type { RawReply } from '../../define/reply.ts'
import { httpError } from '../../http/errors.ts'
import type { OpenApiDocument } from '../../openapi/document/types.ts'
import { toYaml } from '../../openapi/document/yaml.ts'
import { toTag } from '../response/answer.ts'
import { bytesReply } from '../response/bytes-reply.ts'
import type { AppDocuments } from './documents.ts'

export type DocumentFormat = 'json' | 'yaml'

/** The bytes of a document, with their entity tag. */
interface WrittenDocument {
  readonly bytes: Uint8Array
  readonly etag: string
}

interface Writer {
  readonly type: string
  readonly write: (document: OpenApiDocument) => string
}

const NO_SNIFF = { 'x-content-type-options': 'nosniff' }

const WRITERS: Readonly<Record<DocumentFormat, Writer>> = {
  json: { type: 'application/json', write: (document) => JSON.stringify(document) },
  // application/yaml has no charset (RFC 9512 section 2.1)
  yaml: { type: 'application/yaml', write: toYaml },
}

/** The handlers of the routes that serve documents. */
export interface DocumentHandlers {
  /** Returns a document as a file; that of all versions without one. @throws `HttpError` 404 for an unknown version. */
  readonly serve: (context: ExecutionContext, format: DocumentFormat, version?: string) => Promise<RawReply>
  /**
   * Answers with how clients call the routes of the version that `?version=` names; without one, those that answer requests that name
   * none. Routes that documents leave out are not told.
   *
   * @throws `HttpError` 404 for an unknown version, with the list of those there are, and for a host that cannot name the version.
   */
  readonly showRouteMap: (context: ExecutionContext) => Promise<RawReply>
}

/**
 * Creates the handlers. Each document is written when it is first asked for, and again only when it has changed.
 */
export function createDocumentHandlers(documents: AppDocuments): DocumentHandlers {
  const written = new WeakMap<OpenApiDocument, Partial<Record<DocumentFormat, WrittenDocument>>>()
  const writtenAs = (document: OpenApiDocument, format: DocumentFormat): WrittenDocument => {
    const forms = written.get(document) ?? {}
    written.set(document, forms)
    return (forms[format] ??= writeDocument(document, format))
  }
  return {
    serve: async (_context, format, version) => {
      await documents.load()
      // versions have one spelling here, so that each document has one address
      const versions = documents.versions()
      if (version !== undefined && !versions.includes(version))
        throw httpError('document_not_found', 'There is no document of this version', { versions })
      const { bytes, etag } = writtenAs(documents.document(version), format)
      return bytesReply(bytes, { type: WRITERS[format].type, etag, headers: NO_SNIFF })
    },
    showRouteMap: async ({ request }) => {
      const version = [request.query['version']].flat()[0]
      const map = await documents.routeMap(version, request.host, 'shown').catch(failHost)
      const versions = documents.versions()
      if (map !== undefined && (map.version === null || versions.includes(map.version)))
        return bytesReply(Buffer.from(JSON.stringify(map)), { type: 'application/json', headers: NO_SNIFF })
      throw httpError('document_not_found', `There is no such version; there are ${versions.join(', ')}`, {
        versions,
      })
    },
  }
}

function writeDocument(document: OpenApiDocument, format: DocumentFormat): WrittenDocument {
  const bytes = Buffer.from(WRITERS[format].write(document))
  return { bytes, etag: toTag(bytes) }
}

/** A host that the scheme cannot write the version into is the mistake of who asks. */
function failHost(error: unknown): never {
  if (error instanceof TypeError)
    throw httpError('document_not_found', 'The host of the request cannot name a version')
  throw error
}
