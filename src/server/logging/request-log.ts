import type { ExecutionContext, Logger } from '../../define/context.ts'
import type { Observer } from '../../define/observer.ts'
import { cutVersion, MAX_VERSION_LENGTH } from '../../versioning/version.ts'

/** Returns the place of the path segment that may contain a version. */
type FindVersion = (path: string) => number

/** Creates the observer that logs a line for each request. Without `versionAt`, no path has a version. */
export function createRequestLog(log: Logger, versionAt: FindVersion | undefined): Observer {
  return { end: (context, { status }, duration) => logRequest(log, context, status, duration, versionAt) }
}

/** Logs a request: nothing that a client keeps secret, so neither query nor headers. */
function logRequest(
  log: Logger,
  context: ExecutionContext,
  status: number,
  duration: number,
  versionAt: FindVersion | undefined,
): void {
  const { requestId, request, originalPath, version, route, client } = context
  const path = route === null ? cutVersionAt(originalPath, versionAt) : originalPath
  const { method } = request
  const time = Math.round(duration * 1000) / 1000
  // written out, because a copy of an object costs more than all else here, and its JSON twice as much
  const details: Record<string, unknown> =
    route === null
      ? { requestId, method, path, version, status, duration: time }
      : { requestId, method, path, version, status, duration: time, route: route.name }
  if (client !== undefined) details['client'] = client
  log.info(details, 'Request')
}

/** A path that nothing answers, with what may have been meant for a version at the length of one. */
function cutVersionAt(path: string, versionAt: FindVersion | undefined): string {
  if (versionAt === undefined || path.length <= MAX_VERSION_LENGTH) return path
  const position = versionAt(path)
  return path
    .split('/')
    .map((segment, index) => (index === position ? cutVersion(segment) : segment))
    .join('/')
}
