import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { OPERATIONS } from './corpus/operations.ts'
import { COMPOUNDS, DEEP, LIMITS, SCALARS } from './corpus/schemas.ts'
import { VERSIONS } from './corpus/versions.ts'
import { assertFilled, documentOf } from './support.ts'
import type { SchemaPair } from './support.ts'
import { SCHEMA_RULES, RULES, ruleFix, hasRule } from '../inside/tools.ts'

type Side = 'request' | 'response'

/** The rules of all that is found. */
const told = new Set(
  [...VERSIONS, ...OPERATIONS].flatMap(({ expected }) => expected.map((one) => one.split(' ')[1] ?? '')),
)

/** The worst finding: its level, and its rule without side and place. */
function verdict({ old, now, components, newComponents, openapi }: SchemaPair, side: Side) {
  const { level, findings } = compareDocuments(
    documentOf({ [side]: old }, components, openapi),
    documentOf({ [side]: now }, newComponents ?? components, openapi),
  )
  for (const { rule } of findings) told.add(rule)
  const rules = findings.filter((finding) => finding.level === level).map(({ rule }) => rule)
  return { level, rules, findings }
}

function check(pair: SchemaPair, side: Side): void {
  const { level, rules, findings } = verdict(pair, side)
  for (const { message } of findings) assertFilled(message)
  for (const { base, revision } of findings) assert.ok(base.pointer !== '' && revision.pointer !== '')
  const [expected, rule] = pair[side].split(' ')
  assert.equal(level, expected, JSON.stringify(findings, undefined, 1))
  if (rule !== undefined)
    assert.ok(
      rules.some(
        (one) =>
          one === rule || one.replace(/^(request|response)-(body|property|parameter|header)-/, '') === rule,
      ),
      `${rule} is not among ${rules.join(', ')}`,
    )
}

for (const [title, pairs] of Object.entries({
  scalars: SCALARS,
  compounds: COMPOUNDS,
  limits: LIMITS,
  deep: DEEP,
}))
  for (const side of ['request', 'response'] as const)
    describe(`the gate, ${title} in a ${side}`, () => {
      for (const pair of pairs) it(`${pair.reason}: ${pair[side]}`, () => check(pair, side))
    })

// they look at what the pairs above have told
describe('the rules of the gate', () => {
  it('are in the table when they are told', () => {
    const missing = [...told].filter((rule) => !hasRule(rule))
    assert.deepEqual(missing, [])
  })

  it('have a pair each in the corpus', () => {
    const isOfAspect = (rule: string): boolean =>
      /^(request|response)-(parameter|body|property|header)-/.test(rule) &&
      Object.keys(SCHEMA_RULES).some((aspect) => rule.endsWith(`-${aspect}`))
    const named = RULES.filter(({ rule }) => !told.has(rule) && !isOfAspect(rule)).map(({ rule }) => rule)
    assert.deepEqual(named, [])
    // keywords that cannot be compared have names of their own; undecided is a net under everything else
    const others = new Set(['constraint-added', 'constraint-removed', 'undecided'])
    const aspects = Object.entries(SCHEMA_RULES)
      .filter(([aspect]) => !others.has(aspect))
      .flatMap(([aspect, levels]) =>
        (['request', 'response'] as const).flatMap((side) => {
          const isTold = [...told].some((rule) => rule.startsWith(`${side}-`) && rule.endsWith(`-${aspect}`))
          return isTold || levels[side] === 'none' ? [] : [`${side} ${aspect}`]
        }),
      )
    assert.deepEqual(aspects, [])
  })

  it('say what can be done', () => {
    for (const rule of [...RULES.map(({ rule: name }) => name), ...told]) {
      assert.match(ruleFix(rule), /^[A-Z].*\.$/)
      // only findings above `info` show it, such as those of a rule that was raised
      assert.doesNotMatch(ruleFix(rule), /don't have to do anything/)
    }
  })
})
