import type { Container, Injection } from '../container/container.ts'
import type { PlacedLayer } from '../../routes/modules.ts'
import type { AnyGuard } from '../../define/layers.ts'
import { httpError } from '../../http/errors.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import type { Limit } from './failure.ts'

/** Answers a request that has found its route; `values` are the texts of the path parameters. */
export type Run = (context: RequestContext, values: readonly string[]) => Awaitable<FinishedResponse>

interface Ready {
  readonly guard: AnyGuard
  readonly injection: Injection
}

/** Puts guards before a route: they run one after the other, and the first denial ends the request. */
export function withGuards(
  guards: readonly PlacedLayer<AnyGuard>[],
  container: Container,
  limit: Limit,
  run: Run,
): Run {
  if (guards.length === 0) return run
  const ready = guards.map(({ part, module }): Ready => ({
    guard: part,
    injection: container.prepare(Object.entries(part.inject), module),
  }))
  return (context, values) => {
    const passed = pass(ready, 0, context, limit)
    return passed === undefined ? run(context, values) : passed.then(() => run(context, values))
  }
}

/** Asks the guards from an index on; a promise as soon as one of them takes time. */
function pass(
  guards: readonly Ready[],
  from: number,
  context: RequestContext,
  limit: Limit,
): Promise<void> | undefined {
  for (let index = from; index < guards.length; index++) {
    const ready = guards[index]
    if (ready === undefined) return undefined
    const verdict = ask(ready, context)
    if (isPromise(verdict)) {
      return limit(context, verdict, (settled) => {
        check(settled)
        return pass(guards, index + 1, context, limit)
      })
    }
    check(verdict)
  }
  return undefined
}

function ask({ guard, injection }: Ready, context: RequestContext): Awaitable<unknown> {
  // the injection was prepared from the guard's own tokens
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (!injection.isAsync) return guard.canActivate(context, injection.read(context) as never)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return injection.readAsync(context).then((inject) => guard.canActivate(context, inject as never))
}

function check(verdict: unknown): void {
  if (!verdict) throw httpError('forbidden', 'The request is not allowed')
}
