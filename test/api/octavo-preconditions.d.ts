// The public types of octavo/preconditions. npm run api writes this file, and nothing imports it.

export interface PreconditionInterceptor<T> extends Interceptor<undefined> {
  readonly checked: (context: ExecutionContext) => T | undefined
  readonly failed: () => HttpError
}

export interface PreconditionOptions<T, I> {
  readonly current: (input: I, context: ExecutionContext) => Awaitable<T | null | undefined>
  readonly etag: (state: T) => string | number | bigint
  readonly lastModified?: (state: T) => Date
  readonly required?: boolean
}

export function preconditions<T, I = unknown>(options: PreconditionOptions<T, I>): PreconditionInterceptor<T>
