import { compareDocuments } from '../../src/gate/compare-documents.ts'
import { toPointerStep, toStableText } from '../../src/gate/json.ts'
import { RULES } from '../../src/gate/rules.ts'
import type { GateRule } from '../../src/gate/named-rules.ts'
import { SCHEMA_RULES } from '../../src/gate/schema/schema-rules.ts'
import { OPERATIONS } from '../../test/gate/corpus/operations.ts'
import { COMPOUNDS, DEEP, LIMITS, SCALARS } from '../../test/gate/corpus/schemas.ts'
import { documentOf } from '../../test/gate/support.ts'
import { isRecord } from '../../src/base/values.ts'

/** Lines of a diff: what an older document has and what a newer one has. */
type Example = readonly string[]

/** Examples of rules that need more than two documents, or that no pair of the tests has. */
const GIVEN: Readonly<Record<string, Example>> = {
  'api-version-removed': ["-versions: ['2', '1']", "+versions: ['2']"],
  'version-default-changed': ["-defaultVersion: '1'", "+defaultVersion: '2'"],
  'version-order-changed': ["-versions: ['b', 'a']", "+versions: ['a', 'b']"],
  'version-inserted': ["-versions: ['3', '1']", "+versions: ['3', '2', '1']"],
  'version-scheme-changed': ['-scheme: VersioningSchemes.HEADER', '+scheme: VersioningSchemes.QUERY'],
  'range-retargeted': ["-version: '>=1'", "+version: ['1', '>=3']", "+version: '2'"],
  'change-without-effect': ['+change: []'],
  'diff-unexplained': ["-version: '1', response: z.string()", "+version: '2', response: z.int()"],
  'change-lost': ['+up: () => 0'],
  'change-narrower': ["+fields: { status: { was: z.enum(['active']) } }"],
  'change-unfit': ['+up: () => null'],
  'change-failed': ["+up: () => { throw new Error('not yet') }"],
  'change-wrong-example': ["+examples: [{ old: { id: 7 }, now: { id: '8' } }]"],
  'change-unknown-field': ["+lossy: ['no such field']"],
  'change-unchecked': ['+was: z.custom()'],
  'allow-expired': ['+{ "rule": "request-property-removed", "reason": "…", "until": "2026-01-31" }'],
  'constraint-added': ['-{"type":"string"}', '+{"type":"string","not":{"pattern":"^a"}}'],
  'constraint-removed': ['-{"type":"string","not":{"pattern":"^a"}}', '+{"type":"string"}'],
  undecided: ['-{"pattern":"^(?=.*a)"}', '+{"pattern":"^(?=.*b)"}'],
}

/** The page about the rules of the gate: `npm run check -- rules` writes it, and a test compares it. */
export function toRulesPage(): string {
  const aspects = Object.keys(SCHEMA_RULES)
  const aspectOf = ({ rule }: GateRule): string | undefined =>
    aspects.find((aspect) => aspect === withoutPlace(rule))
  const named = RULES.filter((rule) => aspectOf(rule) === undefined)
  const examples = operationExamples()
  return [
    INTRO,
    '## Operations',
    ...named.flatMap((rule) => [
      `### ${rule.rule}`,
      `${toSentence(rule.description)} ${rule.fix}`,
      `- ${rule.direction}: ${rule.level}`,
      toFence(GIVEN[rule.rule] ?? schemaExample((one) => one === rule.rule) ?? examples[rule.rule] ?? []),
    ]),
    '## Schemas',
    SCHEMAS,
    ...aspects.flatMap((aspect) => {
      const rules = RULES.filter((rule) => aspectOf(rule) === aspect)
      const [first] = rules
      if (first === undefined) return []
      return [
        `### ${aspect}`,
        `${toSentence(first.description)} ${first.fix}`,
        toLevels(rules),
        toFence(
          GIVEN[aspect] ??
            schemaExample((rule) => withoutPlace(rule) === aspect) ??
            operationExample(aspect, examples),
        ),
      ]
    }),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}

const INTRO = `# Rules of compatibility

\`octavo diff\`, \`octavo check\` and the [changelog](guide/changelog.md) name the rule of each difference. Look up a rule on this page if you
want to see its level, an example and advice. [Compatibility](guide/compatibility.md) explains the commands.

A level is \`breaking\`, \`warning\` or \`info\`. You can change the level of a rule in
[\`api/rules.json\`](guide/compatibility.md#levels-of-rules), or allow a single finding in
[\`api/allow.json\`](guide/compatibility.md#findings-that-are-meant). Each example is a diff of the older and the newer document.`

const SCHEMAS = `The name of a rule for schemas consists of the side, the place and one of the names below, for example
\`request-property-type-changed\`. Your clients write requests and read responses, so the level depends on the side. In webhooks and callbacks,
your clients read requests and write responses.`

/** Returns the name of a rule without its side and place. */
function withoutPlace(rule: string): string {
  return rule.replace(/^(request|response)-(parameter|body|property|header)-/, '')
}

/** A pair of operations whose schemas differ so. */
function operationExample(aspect: string, examples: Readonly<Record<string, Example>>): Example {
  return Object.entries(examples).find(([rule]) => withoutPlace(rule) === aspect)?.[1] ?? []
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function toFence(lines: Example): string {
  return ['```diff', ...lines, '```'].join('\n')
}

function toLevels(rules: readonly GateRule[]): string {
  const lines = (['request', 'response'] as const).flatMap((side) => {
    const own = rules.filter(({ direction }) => direction === side)
    const levels = [...new Set(own.map(({ level }) => level))]
    return levels.map((level) => {
      const names = own.filter((rule) => rule.level === level).map(({ rule }) => `\`${rule}\``)
      return `- ${side}: ${level} (${names.join(', ')})`
    })
  })
  return lines.join('\n')
}

/** The shortest pair of operations for each rule that one of them is made for. */
function operationExamples(): Readonly<Record<string, Example>> {
  const found = new Map<string, Example>()
  for (const { old, now, expected } of OPERATIONS) {
    const example = toDiff(old, now)
    for (const rule of expected.map((one) => one.split(' ')[1] ?? '')) {
      const known = found.get(rule)
      if (known === undefined || known.join().length > example.join().length) found.set(rule, example)
    }
  }
  return Object.fromEntries(found)
}

/** The pairs of schemas that an example can show, the shortest first of those with the fewest differences. */
const PAIRS = [...SCALARS, ...COMPOUNDS, ...LIMITS, ...DEEP]
  .filter(({ components, openapi }) => components === undefined && openapi === undefined)
  .map(({ old, now }) => {
    const sides = ['request', 'response'] as const
    const rules = sides.flatMap((side) =>
      compareDocuments(documentOf({ [side]: old }), documentOf({ [side]: now })).findings.map(
        ({ rule }) => rule,
      ),
    )
    return { lines: [`-${toStableText(old)}`, `+${toStableText(now)}`], rules: [...new Set(rules)] }
  })
  .toSorted((a, b) => a.rules.length - b.rules.length || a.lines.join().length - b.lines.join().length)

/** The first pair of schemas with a difference, of those where it is a difference on both sides, if there is one. */
function schemaExample(isMeant: (rule: string) => boolean): Example | undefined {
  const [best] = PAIRS.map(({ lines, rules }) => {
    const meant = rules.filter(isMeant)
    const sides = ['request-', 'response-'].filter((side) => meant.some((rule) => rule.includes(side)))
    return { lines, sides: sides.length }
  })
    .filter(({ sides }) => sides > 0)
    .toSorted((a, b) => b.sides - a.sides)
  return best?.lines
}

/** The members that two values differ in, by JSON pointers. */
function toDiff(old: unknown, now: unknown, place = ''): Example {
  if (isBranch(old) && isBranch(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    return names.flatMap((name) =>
      toDiff(Reflect.get(old, name), Reflect.get(now, name), `${place}/${toPointerStep(name)}`),
    )
  }
  if (toStableText(old) === toStableText(now)) return []
  const toLine = (sign: string, value: unknown): Example =>
    value === undefined ? [] : [`${sign}${place}: ${toStableText(value)}`]
  return [...toLine('-', old), ...toLine('+', now)]
}

function isBranch(value: unknown): value is object {
  return isRecord(value) || Array.isArray(value)
}
