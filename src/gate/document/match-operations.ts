import type { ComparedOperation } from './read-operations.ts'

/** Operations of two documents that belong together, and those without a partner. */
export interface MatchedOperations {
  readonly pairs: readonly (readonly [ComparedOperation, ComparedOperation])[]
  /** The same operations at other paths or with other methods. */
  readonly moved: readonly (readonly [ComparedOperation, ComparedOperation])[]
  readonly gone: readonly ComparedOperation[]
  readonly come: readonly ComparedOperation[]
}

/** Finds the operations that belong together: by their exact path, by its pattern, and by their name. */
export function matchOperations(
  before: readonly ComparedOperation[],
  after: readonly ComparedOperation[],
): MatchedOperations {
  const free = new Map<string, Set<ComparedOperation>>()
  for (const operation of after)
    for (const key of operationKeys(operation)) free.set(key, (free.get(key) ?? new Set()).add(operation))
  const left = new Set(after)
  const take = (
    old: ComparedOperation,
    candidates: Iterable<ComparedOperation>,
  ): ComparedOperation | undefined => {
    const all = [...candidates].filter((each) => left.has(each))
    const found =
      all.find(({ id }) => id !== undefined && id === old.id) ??
      all.find((each) => pathNames(old) === pathNames(each)) ??
      all[0]
    if (found !== undefined) left.delete(found)
    return found
  }
  const partners = new Map<ComparedOperation, ComparedOperation>()
  // paths may differ in the names of their parameters alone
  for (const at of [0, 1])
    for (const old of before) {
      if (partners.has(old)) continue
      const now = take(old, free.get(operationKeys(old)[at] ?? '') ?? [])
      if (now !== undefined) partners.set(old, now)
    }
  for (const old of before) {
    // paths that differ in the names of parameters alone are one, so whichever goes is still there
    const twin = partners.has(old)
      ? undefined
      : [...(free.get(operationKeys(old)[1]) ?? [])].find(({ path }) => unnamed(path) === unnamed(old.path))
    if (twin !== undefined) partners.set(old, twin)
  }
  const rest = before.filter((old) => !partners.has(old))
  return { pairs: [...partners], ...findMoved(rest, left) }
}

/** Matches operations by name whose path or method changed. `left` lists operations without a partner. */
function findMoved(
  before: readonly ComparedOperation[],
  left: Set<ComparedOperation>,
): Omit<MatchedOperations, 'pairs'> {
  const moved: (readonly [ComparedOperation, ComparedOperation])[] = []
  const gone: ComparedOperation[] = []
  for (const old of before) {
    const named = old.id === undefined ? undefined : [...left].find(({ id }) => id === old.id)
    const now = named ?? [...left].find((other) => isDeeper(old, other))
    if (now === undefined) gone.push(old)
    else {
      left.delete(now)
      moved.push([old, now])
    }
  }
  return { moved, gone, come: [...left] }
}

/** The keys of an operation: its path, and then its pattern. */
function operationKeys({ method, path, pattern }: ComparedOperation): readonly [string, string] {
  return [`${method} ${path}`, `pattern ${method} ${pattern}`]
}

function unnamed(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}')
}

function pathNames({ path }: ComparedOperation): string {
  return (path.match(/\{[^{}]*\}/g) ?? []).join(' ')
}

/** Whether an operation without deprecation has nothing but more parameters in its path: without a name, that is all that says it is the same. */
function isDeeper(old: ComparedOperation, now: ComparedOperation): boolean {
  const isNamed = old.id !== undefined && now.id !== undefined
  const isAlive = old.node['deprecated'] !== true && old.method === now.method
  const added = isNamed || !isAlive ? [] : addedToPath(old, now)
  return added.length > 0 && added.every((segment) => segment === '{}')
}

/** The segments that a path has beside all of another, none if it lacks one of those. */
export function addedToPath(old: ComparedOperation, now: ComparedOperation): readonly string[] {
  const left = old.pattern.split('/')
  const added = now.pattern.split('/').filter((segment) => {
    if (segment !== left[0]) return true
    left.shift()
    return false
  })
  return left.length === 0 ? added : []
}
