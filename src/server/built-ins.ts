import type { Token } from '../define/token.ts'
import { ExecutionContext, Host, HttpRequest, HttpResponse } from '../define/tokens.ts'
import type { ExecutionContext as Context } from '../define/context.ts'

/** What each built-in token supplies. */
const BUILT_INS: ReadonlyMap<Token<unknown>, (context: Context) => unknown> = new Map<
  Token<unknown>,
  (context: Context) => unknown
>([
  [HttpRequest, (context) => context.request],
  [HttpResponse, (context) => context.response],
  [ExecutionContext, (context) => context],
  [Host, (context) => context.request.ip],
])

/** How a token's value is found for a request; `undefined` when nothing provides it. */
export function findBuiltIn(token: Token<unknown>): ((context: Context) => unknown) | undefined {
  return BUILT_INS.get(token)
}

/** The value behind a built-in token. @throws `Error` when nothing provides the token. */
export function resolveBuiltIn<T>(token: Token<T>, context: Context): T {
  const find = BUILT_INS.get(token)
  if (find === undefined) throw new Error(`Nothing provides ${token.token}`)
  // the table above pairs each token with a value of its type
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return find(context) as T
}
