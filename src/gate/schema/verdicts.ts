import {
  severityOfDifference,
  toSchemaDifference,
  type Comparing,
  type SchemaDifference,
  type SchemaPair,
  type PairVerdict,
} from './schema-difference.ts'

/** Kinds of differences, as bits: what is visible from outside of a pair. */
const BREAKING = 1
const WARNING = 2
/** New values of an enumeration in a response, which are judged by themselves. */
const VALUES = 4
/** Of values, and harmless. */
const HARMLESS = 8
/** Not of values, but of what they mean. */
const MEANING = 16
const MEANING_TOLD = 32
const VALUES_TOLD = 64

const OF_MEANING = MEANING | MEANING_TOLD
/** The kinds that clients notice. */
const TOLD = BREAKING | WARNING | MEANING_TOLD | VALUES_TOLD

/** Reaches the verdicts of a pair and of those further inside, the innermost first. */
export function settlePairs(root: SchemaPair, comparing: Comparing): void {
  const pairs = pairsInRow(root)
  for (const pair of pairs) pair.facts = withoutRepeated(pair)
  for (const pair of pairs) pair.verdict = toVerdict(pair, comparing)
  for (const pair of pairs) {
    for (const fact of pair.facts) showAbove(pair, differenceKind(fact, comparing))
    for (const link of pair.links) showAbove(pair, link.pair.seen)
  }
  for (const pair of pairs) if (pair.verdict === 'all') completePair(pair, comparing)
}

/** The pairs that are not settled, those further inside first. */
function pairsInRow(root: SchemaPair): readonly SchemaPair[] {
  const row: SchemaPair[] = []
  const open: { readonly pair: SchemaPair; next: number }[] = [{ pair: root, next: 0 }]
  root.isSettled = true
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const link = top.pair.links[top.next++]
    if (link === undefined) {
      row.push(top.pair)
      open.pop()
    } else if (!link.pair.isSettled) {
      link.pair.isSettled = true
      open.push({ pair: link.pair, next: 0 })
    }
  }
  return row
}

/** Leaves out what a reference says of itself that the schema behind it says, too. */
function withoutRepeated({ facts, links }: SchemaPair): readonly SchemaDifference[] {
  const further = links.filter(({ at }) => at.length === 0).flatMap(({ pair }) => pair.facts)
  if (further.length === 0) return facts
  return facts.filter(
    ({ rule, message, isOfSet }) =>
      isOfSet || !further.some((other) => other.rule === rule && other.message === message),
  )
}

/** The verdict of two sets as a whole: if all values that clients use are kept, no single difference is bad. */
function toVerdict({ base, revision }: SchemaPair, { side, inclusion }: Comparing): PairVerdict {
  const [part, whole] = side === 'request' ? [base, revision] : [revision, base]
  if (inclusion.isIn(part, whole) !== 'yes') return 'all'
  return inclusion.isIn(whole, part) === 'yes' ? 'same' : 'harmless'
}

/** Whether a fact says that values of an enumeration come newly in a response. */
function isOfValues({ rule }: SchemaDifference, { side }: Comparing): boolean {
  return side === 'response' && rule === 'enum-value-added'
}

function differenceKind(fact: SchemaDifference, comparing: Comparing): number {
  const level = severityOfDifference(fact, comparing)
  const isTold = level === 'breaking' || level === 'warning'
  if (!fact.isOfSet) return isTold ? OF_MEANING : MEANING
  if (isOfValues(fact, comparing)) return VALUES | (isTold ? VALUES_TOLD : HARMLESS)
  if (!isTold) return HARMLESS
  return level === 'breaking' ? BREAKING : WARNING
}

/** Notes kinds of differences of a pair and of all that lead to it. */
function showAbove(start: SchemaPair, kinds: number): void {
  const open: (readonly [SchemaPair, number])[] = [[start, kinds]]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const [pair, inner] = top
    const more = throughVerdict(inner, pair.verdict) & ~pair.seen
    if (more === 0) continue
    pair.seen |= more
    for (const above of pair.above) open.push([above, more])
  }
}

function throughVerdict(kinds: number, verdict: PairVerdict): number {
  if (verdict === 'all') return kinds
  if (verdict === 'proven') return kinds & WARNING ? kinds | BREAKING : kinds
  return kinds & (verdict === 'same' ? OF_MEANING : OF_MEANING | HARMLESS)
}

/** Adds what no single difference tells, and proves doubts, if the sets as a whole say that values are lost. */
function completePair(pair: SchemaPair, comparing: Comparing): void {
  const { base, revision, seen } = pair
  const { side, inclusion } = comparing
  if ((seen & BREAKING) !== 0 || ((seen & WARNING) === 0 && (seen & VALUES) !== 0)) return
  const add = (fact: SchemaDifference): void => {
    pair.facts = [...pair.facts, fact]
    showAbove(pair, differenceKind(fact, comparing))
  }
  const [part, whole] = side === 'request' ? [base, revision] : [revision, base]
  if (inclusion.isIn(part, whole) === 'unknown') {
    if ((seen & WARNING) === 0)
      add(toSchemaDifference('undecided', base, revision, side, { what: 'the schema' }))
  } else if ((seen & WARNING) !== 0) {
    pair.verdict = 'proven'
    showAbove(pair, BREAKING)
  } else if ((seen & TOLD) === 0) {
    const change = side === 'request' ? 'fewer values are allowed' : 'more values are allowed'
    add(toSchemaDifference('type-changed', base, revision, side, { change }))
  }
}

/** How differences further inside count, as bits: after the verdicts on the way to them. */
const OUTLOOKS: Readonly<Record<PairVerdict, number>> = { all: 0, harmless: 1, same: 2, proven: 4 }

/** The outlook behind one more pair, or `undefined` if nothing is seen there. */
export function behind({ verdict, seen }: SchemaPair, outlook: number): number | undefined {
  const isAllHidden = (outlook & OUTLOOKS.same) !== 0 && (seen & OF_MEANING) === 0
  return seen === 0 || isAllHidden ? undefined : outlook | OUTLOOKS[verdict]
}

/** A fact as it counts in an outlook, or `undefined` if it does not. */
export function asSeen(
  fact: SchemaDifference,
  outlook: number,
  comparing: Comparing,
): SchemaDifference | undefined {
  if (!fact.isOfSet || outlook === 0) return fact
  if ((outlook & OUTLOOKS.same) !== 0) return undefined
  const level = severityOfDifference(fact, comparing)
  if (level !== 'warning' && level !== 'breaking') return fact
  if ((outlook & OUTLOOKS.harmless) !== 0) return undefined
  return isOfValues(fact, comparing) ? fact : { ...fact, is: { ...fact.is, isProven: true } }
}
