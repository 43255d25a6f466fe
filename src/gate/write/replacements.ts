import { editDistance } from '../../base/edit-distance.ts'
import { toWords } from '../../base/words.ts'

/** Fields that went, and those that came instead of them. */
export interface Replacement {
  readonly gone: readonly string[]
  readonly come: readonly string[]
}

/**
 * Divides the fields that went and came into those that belong together: by their names, because one moved into the other, and all that are
 * left.
 */
export function toReplacements(
  gone: readonly string[],
  come: readonly string[],
  hasMoved: (was: string, now: string) => boolean,
): readonly Replacement[] {
  const links = [
    ...gone.flatMap((was) => nearestNames(was, come).map((now) => ({ was, now }))),
    ...come.flatMap((now) => nearestNames(now, gone).map((was) => ({ was, now }))),
    ...gone.flatMap((was) => come.filter((now) => hasMoved(was, now)).map((now) => ({ was, now }))),
  ]
  let linked: readonly Replacement[] = []
  for (const { was, now } of links) {
    const met = linked.filter((each) => each.gone.includes(was) || each.come.includes(now))
    const joined = {
      gone: [was, ...met.flatMap((each) => each.gone)],
      come: [now, ...met.flatMap((each) => each.come)],
    }
    linked = [...linked.filter((each) => !met.includes(each)), joined]
  }
  const isLeft = (name: string): boolean =>
    !linked.some((each) => each.gone.includes(name) || each.come.includes(name))
  return [
    // in the order that the fields have
    ...linked.map((each) => ({
      gone: gone.filter((name) => each.gone.includes(name)),
      come: come.filter((name) => each.come.includes(name)),
    })),
    { gone: gone.filter(isLeft), come: come.filter(isLeft) },
  ]
}

/** The most similar names: none if no name is similar, several if they are equally so. */
function nearestNames(name: string, others: readonly string[]): readonly string[] {
  const rated = others.map((other) => ({ other, rate: similarity(name, other) }))
  const best = Math.max(LEAST, ...rated.map(({ rate }) => rate))
  return rated.flatMap(({ other, rate }) => (rate === best ? [other] : []))
}

/** The similarity from which two names may mean one thing: `price` and `priceInCents`, not `userId` and `orderId`. */
const LEAST = 0.5

/** How much of two names is the same, from 0 to 1: the words that they share, or the letters of a name that was written another way. */
function similarity(one: string, other: string): number {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  const [plain, otherPlain] = [words.join(''), others.join('')]
  const shared = words.filter((word) => others.includes(word)).join('')
  const edits = editDistance(plain, otherPlain)
  const longest = Math.max(plain.length, otherPlain.length)
  return Math.max(
    (2 * shared.length) / (plain.length + otherPlain.length),
    edits <= longest / 3 ? 1 - edits / longest : 0,
  )
}

function wordsOf(name: string): readonly string[] {
  return toWords(name).toLowerCase().split(' ')
}
