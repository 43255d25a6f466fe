import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { COMPOUNDS, DEEP, LIMITS, SCALARS } from './corpus/schemas.ts'
import { createRandom, generate } from './generate.ts'
import type { SchemaPair } from './support.ts'

const SAMPLES = 40
/** Values that are tried until one shows what breaks. */
const TRIES = 4_000

/** What no value shows: members that no schema names, values that no client sends, and what is a matter of meaning. */
const UNSHOWN =
  /additional-properties-(closed|narrowed|widened)|pattern-properties-|discriminator|format-changed|one-of-added|request-property-removed/

type Check = (value: unknown) => boolean

// made once, because its formats take longer to add than a schema to compile
const ajv = new Ajv2020({ strict: false, validateFormats: true })
addFormats.default(ajv)

function toCheck(schema: unknown, defs: Readonly<Record<string, unknown>> = {}, isLenient = false): Check {
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([key, member]) => [
      key,
      isLenient && key.endsWith('Properties') && member === false ? true : open(member),
    ])
    return Object.fromEntries(members)
  }
  const validate = ajv.compile({
    $defs: { root: open(schema) },
    $ref: '#/$defs/root',
    components: { schemas: open(defs) },
  })
  return (value) => validate(value)
}

function play(pair: SchemaPair, side: 'request' | 'response'): void {
  const newDefs = pair.newComponents ?? pair.components ?? {}
  const [part, partDefs, whole, wholeDefs] =
    side === 'request'
      ? [pair.old, pair.components ?? {}, pair.now, newDefs]
      : [pair.now, newDefs, pair.old, pair.components ?? {}]
  const [isPart, isWhole] = [toCheck(part, partDefs), toCheck(whole, wholeDefs, side === 'response')]
  const random = createRandom(7)
  const [level] = pair[side].split(' ')
  let taken = 0
  for (let at = 0; at < TRIES; at++) {
    if (level !== 'breaking' && taken >= SAMPLES) break
    const value = generate(part, partDefs, random)
    if (!isPart(value)) continue
    taken++
    if (isWhole(value)) continue
    assert.equal(level, 'breaking', `${JSON.stringify(value)} is in one and not in the other`)
    return
  }
  assert.ok(taken > 0, 'no value was made up')
  assert.notEqual(level, 'breaking', `no value of ${taken} shows that it breaks`)
}

for (const side of ['request', 'response'] as const)
  describe(`values that ajv judges agree with the gate in a ${side}`, () => {
    for (const pair of [...SCALARS, ...COMPOUNDS, ...LIMITS, ...DEEP]) {
      const [level] = pair[side].split(' ')
      if (level === 'warning' || pair.openapi !== undefined || UNSHOWN.test(pair[side])) continue
      if (/readOnly|writeOnly|x-extensible/.test(JSON.stringify([pair.old, pair.now]))) continue
      it(`${pair.reason}: ${level}`, () => play(pair, side))
    }
  })
