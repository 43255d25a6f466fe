import { editDistance } from '../edit-distance.ts'

/** The name that was probably meant; `undefined` when none is near. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.min(2, name.length - 2)))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.name
}
