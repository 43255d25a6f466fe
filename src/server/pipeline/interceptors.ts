import type { Container } from '../container/container.ts'
import type { PlacedLayer } from '../../routes/modules.ts'
import type { Interceptor } from '../../define/interceptor.ts'
import { isReply } from '../../define/reply.ts'
import { isPromise } from '../../base/values.ts'
import type { RequestContext } from './context.ts'
import type { Input } from './validation/sources.ts'
import { ignoreErrors } from '../../http/http.ts'

/** Calls a handler, with everything around it, and gives what it returned. */
export type Invoke = (input: Input, context: RequestContext) => unknown

/** Puts interceptors around a handler; the first is outermost. */
export function withInterceptors(
  interceptors: readonly PlacedLayer<Interceptor>[],
  container: Container,
  invoke: Invoke,
): Invoke {
  if (interceptors.length === 0) return invoke
  return interceptors.reduceRight<Invoke>((inner, { part, module }) => {
    const { isAsync, read, readAsync } = container.prepare(Object.entries(part.inject), module)
    return (input, context) => {
      const next = (): unknown => inner(input, context)
      // the injection was prepared from the interceptor's own tokens
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (!isAsync) return part.intercept(context, next, read(context) as never, input as never)
      return readAsync(context).then((inject) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        part.intercept(context, next, inject as never, input as never),
      )
    }
  }, quietly(invoke))
}

/** Silences a stream that a handler returns, which may fail while an interceptor does something else before it is sent. */
function quietly(invoke: Invoke): Invoke {
  return (input, context) => {
    const result = invoke(input, context)
    return isPromise(result) ? result.then(quiet) : quiet(result)
  }
}

/** Keeps a stream that fails before it is sent from ending the process. Returns the result. */
export function quiet(result: unknown): unknown {
  ignoreErrors(isReply(result) ? result.data : result)
  return result
}
