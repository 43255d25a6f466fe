import { isRecord, isString } from '../../base/values.ts'

/** The longest text of a route, model or field, in characters. */
const LONGEST = 240

/** Members that are values of clients, whose texts stay. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'x-sunset'])

/** An imported part with descriptions of at most two sentences. The imported document keeps all of them. */
export function withShortTexts<T>(part: T): T {
  // it has the members of the part
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return shortened(part) as T
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (VALUES.has(name) && !isRecord(member)) return [name, member]
      return [name, name === 'description' && isString(member) ? firstSentences(member) : shortened(member)]
    }),
  )
}

/** The first two sentences of a text, or the first one if both are long. */
export function firstSentences(text: string): string {
  const whole = text.trim()
  const paragraph = whole.split(/\n\s*\n/).find((each) => !/^\s*(?:#|<|\||```|[-*=]{3})/.test(each)) ?? ''
  const [prose = ''] = paragraph.split(/\n\s*(?:[-*+|#]|\d+\.|```)/)
  const sentences = prose
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.) (?=[A-Z`"'([])/)
  if (sentences.length <= 2 && paragraph.trim() === whole && prose === paragraph && whole.length <= LONGEST)
    return whole
  const [first = '', second = ''] = sentences
  const both = `${first} ${second}`.trim()
  const short = both.length <= LONGEST ? both : first
  if (short.length <= LONGEST) return short.replace(/:$/, '.')
  return `${short.slice(0, LONGEST).replace(/\s+\S*$/, '')} …`
}
