import { toUnresolvedText, type Node, type Source } from '../document/source.ts'
import type { OfOperation } from '../findings.ts'
import { toSteps } from '../document/pick.ts'
import type { Documents } from './context.ts'

/** The references of two documents that lead nowhere, outside of schemas. One that is in both is listed once. */
export function unresolvedIn({ base, revision }: Documents): readonly OfOperation[] {
  const [before, after] = [byPointer(base), byPointer(revision)]
  return [...new Map([...before, ...after])].map(([pointer, node]) => {
    const [paths, path = '', method = '', ...at] = toSteps(pointer)
    const isInside = paths === 'paths' && at.length > 0
    const difference = {
      rule: 'reference-unresolved',
      at: isInside ? at : toSteps(pointer),
      message: toUnresolvedText(node),
      base: before.get(pointer),
      revision: after.get(pointer),
    }
    return {
      operation: isInside ? `${method.toUpperCase()} ${path}` : '',
      route: undefined,
      isPreview: false,
      found: [difference],
    }
  })
}

function byPointer(source: Source): ReadonlyMap<string, Node> {
  return new Map([...source.unresolved].map((node) => [source.pointerOf(node), node]))
}
