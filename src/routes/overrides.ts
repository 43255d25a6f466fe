import type { DefinitionProblem } from '../base/definition-error.ts'
import { isBuiltIn } from '../define/built-in-tokens.ts'
import { resolveLazy } from '../define/lazy.ts'
import type { Binding } from '../define/provider.ts'

/** The replacements of `overrides`. */
export interface Overrides {
  /** Returns the stand-in for a token, guard or interceptor, or `undefined` if there is none. Remembers that it was asked for. */
  readonly find: (replaced: object) => object | undefined
  /** Reports what replaces nothing. */
  readonly problems: () => readonly DefinitionProblem[]
}

/** Reads the `overrides` of `createApp`; of two for one thing, the later counts. */
export function createOverrides(bindings: readonly Binding[]): Overrides {
  const targets = new Map(bindings.map(({ token, to }) => [keyOf(token), { token: resolveLazy(token), to }]))
  const used = new Set<unknown>()
  return {
    find: (replaced) => {
      const key = keyOf(replaced)
      const target = targets.get(key)
      if (target !== undefined) used.add(key)
      return target?.to
    },
    problems: () =>
      [...targets]
        .filter(([key]) => !used.has(key))
        .map(([, { token }]) => ({
          code: 'unused_override',
          where: 'createApp',
          message: `overrides replaces ${nameOf(token)}, which is neither provided nor used`,
          fix: 'remove it, or bind the very object that the modules name',
        })),
  }
}

/** Built-in tokens are the same whatever schema reads them. */
function keyOf(replaced: unknown): unknown {
  const value = resolveLazy(replaced)
  return typeof value === 'object' && value !== null && isBuiltIn(value) ? value.token : value
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  if ('token' in value) return String(value.token)
  return 'name' in value ? String(value.name) : 'something without a name'
}
