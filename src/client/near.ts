const MOST = 5

/** The names that are most like a text, the nearest first; all of them when there are few. */
export function nearest(text: string, names: readonly string[]): readonly string[] {
  if (names.length <= MOST) return names
  const wanted = text.toLowerCase()
  return names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ name }) => name)
}

/** How many letters have to be inserted, left out or replaced (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let at = 0; at < a.length; at++) {
    let before = at + 1
    const next = [before]
    for (let index = 0; index < b.length; index++) {
      const replaced = (row[index] ?? 0) + (a[at] === b[index] ? 0 : 1)
      before = Math.min(before + 1, (row[index + 1] ?? 0) + 1, replaced)
      next.push(before)
    }
    row = next
  }
  return row[b.length] ?? 0
}
