import type { ExecutionContext } from '../../define/context.ts'
import type { RawReply } from '../../define/reply.ts'
import { httpError } from '../../errors.ts'
import { file } from '../../send/file.ts'
import type { Documents } from './documents.ts'

/**
 * Answers with how clients call the routes of the version that `?version=` names; without one, those that answer requests that name
 * none. Routes that documents leave out are not told.
 *
 * @throws `HttpError` 404 for an unknown version, with the list of those there are, and for a host that cannot name the version.
 */
export async function showRouteMap(documents: Documents, { request }: ExecutionContext): Promise<RawReply> {
  const version = [request.query['version']].flat()[0]
  const map = await documents.routeMap(version, request.host, 'shown').catch(refuse)
  const versions = documents.versions()
  if (map !== undefined && (map.version === null || versions.includes(map.version)))
    return file(Buffer.from(JSON.stringify(map)), OPTIONS)
  throw httpError('document_not_found', `There is no such version; there are ${versions.join(', ')}`, {
    versions,
  })
}

/** A host that the scheme cannot write the version into is the mistake of who asks. */
function refuse(error: unknown): never {
  if (error instanceof TypeError)
    throw httpError('document_not_found', 'The host of the request cannot name a version')
  throw error
}

const OPTIONS = { type: 'application/json', headers: { 'x-content-type-options': 'nosniff' } }
