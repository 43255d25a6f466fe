import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { OPERATIONS } from './corpus/operations.ts'
import { COMPOUNDS, DEEP, LIMITS, SCALARS } from './corpus/schemas.ts'
import { VERSIONS } from './corpus/versions.ts'
import { documentOf } from './support.ts'
import { ASPECTS, RULES, cureOf, hasRule } from '../inside/tools.ts'

const findings = [...SCALARS, ...COMPOUNDS, ...LIMITS, ...DEEP].flatMap(
  ({ old, now, components, newComponents, openapi }) =>
    (['request', 'response'] as const).flatMap(
      (side) =>
        compareDocuments(
          documentOf({ [side]: old }, components, openapi),
          documentOf({ [side]: now }, newComponents ?? components, openapi),
        ).findings,
    ),
)
const seen = new Set([
  ...findings.map(({ rule }) => rule),
  ...VERSIONS.flatMap(({ expected }) => expected.map((one) => one.split(' ')[1] ?? '')),
  ...OPERATIONS.flatMap(({ expected }) => expected.map((one) => one.split(' ')[1] ?? '')),
])
const NAMES = new Set(RULES.map(({ rule }) => rule))

describe('the rules of the gate', () => {
  it('are in the table when they are told', () => {
    const missing = [...seen].filter((rule) => !hasRule(rule))
    assert.deepEqual(missing, [])
  })

  it('have a pair each in the corpus', () => {
    const isOfAspect = (rule: string): boolean =>
      /^(request|response)-(parameter|body|property|header)-/.test(rule) &&
      Object.keys(ASPECTS).some((aspect) => rule.endsWith(`-${aspect}`))
    const named = RULES.filter(({ rule }) => !seen.has(rule) && !isOfAspect(rule)).map(({ rule }) => rule)
    assert.deepEqual(named, [])
    const told = [...seen]
    // keywords that cannot be compared have names of their own; undecided is a net under everything else
    const others = new Set(['constraint-added', 'constraint-removed', 'undecided'])
    const aspects = Object.entries(ASPECTS)
      .filter(([aspect]) => !others.has(aspect))
      .flatMap(([aspect, levels]) =>
        (['request', 'response'] as const).flatMap((side) => {
          const isTold = told.some((rule) => rule.startsWith(`${side}-`) && rule.endsWith(`-${aspect}`))
          return isTold || levels[side] === 'none' ? [] : [`${side} ${aspect}`]
        }),
      )
    assert.deepEqual(aspects, [])
  })

  it('say what can be done', () => {
    for (const rule of [...NAMES, ...seen]) assert.match(cureOf(rule), /^[A-Z].*\.$/)
  })
})
