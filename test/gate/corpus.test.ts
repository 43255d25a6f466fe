import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { COMPOUNDS, DEEP, LIMITS, SCALARS } from './corpus/schemas.ts'
import { documentOf } from './support.ts'
import type { SchemaPair } from './support.ts'

/** The worst finding: its level, and its rule without side and place. */
function verdict({ old, now, components, newComponents, openapi }: SchemaPair, side: 'request' | 'response') {
  const { level, findings } = compareDocuments(
    documentOf({ [side]: old }, components, openapi),
    documentOf({ [side]: now }, newComponents ?? components, openapi),
  )
  const rules = findings.filter((finding) => finding.level === level).map(({ rule }) => rule)
  return { level, rules, findings }
}

function check(pair: SchemaPair, side: 'request' | 'response'): void {
  const { level, rules, findings } = verdict(pair, side)
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
