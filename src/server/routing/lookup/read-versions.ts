import { isPromise, type Awaitable } from '../../../base/async.ts'
import type { VersionValue } from '../../../versioning/schemes/scheme.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { RouteMatch } from './resolution.ts'

/** The value of each scheme. */
export type Values = readonly VersionValue[]

/** How a scheme reads a request; `inPath` is what its path names. */
export type Reader = (context: RequestContext, inPath: RouteMatch | undefined) => Awaitable<VersionValue>

/** Reads the value of every scheme. */
export function readAll(
  readers: readonly Reader[],
  context: RequestContext,
  inPath: RouteMatch | undefined,
): Awaitable<Values> {
  const values: VersionValue[] = []
  let pending: PromiseLike<void>[] | undefined
  for (const read of readers) {
    const index = values.push(undefined) - 1
    try {
      const value = read(context, inPath)
      if (isPromise(value)) (pending ??= []).push(fill(values, index, value))
      else values[index] = value
    } catch (error) {
      // one that fails must not leave the promises of others unheard
      ;(pending ??= []).push(Promise.reject(error))
    }
  }
  return pending === undefined ? values : Promise.all(pending).then(() => values)
}

async function fill(values: VersionValue[], index: number, value: PromiseLike<VersionValue>): Promise<void> {
  values[index] = await value
}

/** Reads the value of the first scheme that has one; later ones are not looked at. */
export function readFirst(
  readers: readonly Reader[],
  context: RequestContext,
  inPath: RouteMatch | undefined,
): Awaitable<Values> {
  const values: VersionValue[] = []
  for (const read of readers) {
    const value = read(context, inPath)
    if (isPromise(value)) {
      const later = readers.slice(values.length + 1)
      return value.then(async (found) => [
        ...values,
        found,
        ...(isGiven(found) ? [] : await readFirst(later, context, inPath)),
      ])
    }
    values.push(value)
    if (isGiven(value)) break
  }
  return values
}

/** The value of a scheme that has one. */
export type PresentValue = Exclude<VersionValue, undefined>

/** Whether a scheme found something. */
export function isGiven(value: VersionValue): value is PresentValue {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}
