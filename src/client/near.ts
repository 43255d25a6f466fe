import { editDistance } from '../edit-distance.ts'

const MOST = 5

/** The names that are most like a text, the nearest first; all of them when there are few. */
export function nearest(text: string, names: readonly string[]): readonly string[] {
  if (names.length <= MOST) return names
  const wanted = text.toLowerCase()
  return names
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ name }) => name)
}
