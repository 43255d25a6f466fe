import type { Migration } from '../../flatten/flat-route.ts'
import { isPromise } from '../../async.ts'
import type { Awaitable, FinishedResponse } from '../../http.ts'
import { isString } from '../../values.ts'
import type { RequestContext } from './context.ts'
import type { Run } from './guards.ts'
import type { Answer } from './input.ts'

/** Has input that is valid in an older version turned into that of the newest one before a route answers. */
export function withMigration(migration: Migration | undefined, answer: Answer): Answer {
  if (migration === undefined) return answer
  return (context, input) => {
    Object.assign(input, migration.up({ ...input }, context.request))
    return answer(context, input)
  }
}

/** Gives responses the status and the headers that an older version knows. */
export function withOlderHead(migration: Migration | undefined, run: Run): Run {
  if (migration === undefined || !migration.hasOlderHead) return run
  const toOlder = (response: FinishedResponse): FinishedResponse => toOlderHead(migration, response)
  const once = (context: RequestContext, response: FinishedResponse): FinishedResponse => {
    context.toOlderHead = undefined
    return toOlder(response)
  }
  return (context, values): Awaitable<FinishedResponse> => {
    // what is thrown is answered further out
    context.toOlderHead = toOlder
    const response = run(context, values)
    return isPromise(response) ? response.then((settled) => once(context, settled)) : once(context, response)
  }
}

function toOlderHead({ statusOf, headerOf }: Migration, response: FinishedResponse): FinishedResponse {
  const status = statusOf(response.status)
  if (status !== response.status && isProblem(response.headers['content-type']) && isString(response.body))
    response.body = withStatus(response.body, status)
  response.status = status
  if (headerOf === undefined) return response
  for (const [name, value] of Object.entries(response.headers)) {
    const older = headerOf(name)
    if (older === name) continue
    delete response.headers[name]
    if (older !== undefined) response.headers[older] = value
  }
  return response
}

function isProblem(type: unknown): boolean {
  return isString(type) && type.startsWith('application/problem+json')
}

/** A problem document says its status too (RFC 9457 section 3.1.2). */
function withStatus(body: string, status: number): string {
  return JSON.stringify({ ...JSON.parse(body), status })
}
