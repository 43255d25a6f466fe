import { collectModules, type ModuleTree } from '../../routes/modules.ts'

/**
 * Awaits the promised imports of a module, and those that they import in turn. Returns the tree that it is given if nothing is promised.
 *
 * @throws `Error` if a promise is rejected, with the reason as its cause.
 */
export async function settle(module: unknown, tree: ModuleTree): Promise<ModuleTree> {
  const settled = new Map<PromiseLike<unknown>, unknown>()
  let found = tree
  while (found.pending.length > 0) {
    for (const promise of found.pending) settled.set(promise, await arrival(promise))
    found = collectModules(module, settled)
  }
  return found
}

async function arrival(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (cause) {
    throw new Error('A promised module could not be made', { cause })
  }
}
