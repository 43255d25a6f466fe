import type { ImportedOperation } from './read-api.ts'
import { pathTemplateOf } from './write-inputs.ts'
import type { SchemaWriting } from './write-schema.ts'

/** The operations that get a route. All others pass to the API behind as they are, and are noted. */
export function selectServed(
  operations: readonly ImportedOperation[],
  writing: SchemaWriting,
): readonly ImportedOperation[] {
  const twinsOf = groupBy(operations, (operation) => `${operation.method} ${pathTemplateOf(operation)}`)
  const sharedBy = groupBy(
    operations,
    ({ method, path }) => `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`,
  )
  return operations.filter((operation) => {
    writing.place = `${operation.method} ${operation.path}`
    const twins = twinsOf(operation)
    const isPossible = isServable(operation.path) && new Set(twins.map(inputOf)).size === 1
    if (!isPossible)
      writing.note(
        /-removed|moved/,
        'no route has this path: its requests pass like all that no route matches',
      )
    else if (sharedBy(operation).length > twins.length)
      writing.note(
        /^re(?:quest|sponse)-/,
        'paths that differ in the names of their parameters are one in documents',
      )
    // the route of the first takes the requests of the others
    return isPossible && twins[0] === operation
  })
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): (one: T) => readonly T[] {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return (one) => groups.get(keyOf(one)) ?? []
}

/** Whether requests can have a path: what follows `?` or `#` is no part of it, and clients resolve `.` and `..`. */
function isServable(path: string): boolean {
  return !/[?#*%\\<>"`^|\s]|\/\/|\/:|\/\.\.?(?:\/|$)/.test(path) && /^(?:[^{}]|\{[^{}]*\})*$/.test(path)
}

/** The input of an operation without the names of what is in its path. */
function inputOf({ parameters, requestBody }: ImportedOperation): string {
  const own = parameters.map(({ name, description: _description, ...parameter }) =>
    parameter.in === 'path' ? parameter : { name, ...parameter },
  )
  return JSON.stringify([own, requestBody])
}
