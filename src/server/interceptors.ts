import type { Container } from '../container/container.ts'
import type { Placed } from '../define/surround.ts'
import type { Interceptor } from '../define/interceptor.ts'
import type { RequestContext } from './context.ts'
import type { Input } from './input.ts'

/** Calls a handler, with everything around it, and gives what it returned. */
export type Invoke = (input: Input, context: RequestContext) => unknown

/** Puts interceptors around a handler; the first is outermost. */
export function withInterceptors(
  interceptors: readonly Placed<Interceptor>[],
  container: Container,
  invoke: Invoke,
): Invoke {
  return interceptors.reduceRight<Invoke>((inner, { part, module }) => {
    const { isAsync, read, readAsync } = container.prepare(Object.entries(part.inject), module)
    return (input, context) => {
      const next = (): unknown => inner(input, context)
      // the injection was prepared from the interceptor's own tokens
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (!isAsync) return part.intercept(context, next, read(context) as never)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return readAsync(context).then((inject) => part.intercept(context, next, inject as never))
    }
  }, invoke)
}
