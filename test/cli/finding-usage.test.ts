import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { UsageEntry } from 'octavo'

import { styleFor } from '../inside/parts.ts'
import {
  addUsage,
  fingerprintOf,
  printComparison,
  readAllowed,
  toFindingsJson,
  withoutAllowed,
  type VersionFinding,
} from '../inside/tools.ts'

const entry = (given: Partial<UsageEntry>): UsageEntry => ({
  day: '2026-11-01',
  version: '1',
  route: 'car.list',
  client: 'acme',
  count: 1,
  lastSeen: `${given.day ?? '2026-11-01'}T12:00:00.000Z`,
  ...given,
})

const place = (route: string) =>
  ({ operation: 'GET /v1/cars', route, at: 'query limit', level: 'breaking', steps: [], passed: [] }) as const

const finding = (given: Partial<VersionFinding> = {}): VersionFinding => ({
  rule: 'request-parameter-removed',
  level: 'breaking',
  version: '1',
  operation: 'GET /v1/cars',
  route: 'car.list',
  at: 'query limit',
  message: 'the parameter was removed',
  base: { pointer: '' },
  revision: { pointer: '' },
  places: [place('car.list')],
  ...given,
})

const routes = new Set(['car.list', 'car.add'])

function usageOf(entries: readonly UsageEntry[], given: Partial<VersionFinding> = {}, since?: string) {
  const check = { level: 'breaking' as const, findings: [finding(given)] }
  const { level, findings } = addUsage(check, { entries, routes, since }, since !== undefined)
  const [first] = findings as readonly (VersionFinding & {
    readonly usage?: { clients: readonly object[]; isComplete: boolean }
  })[]
  return { level, clients: first?.usage?.clients, isComplete: first?.usage?.isComplete }
}

describe('the clients that a finding reaches', () => {
  it('are those that called its operation in its version', () => {
    const entries = [
      entry({ count: 3 }),
      entry({ count: 4, day: '2026-11-20' }),
      entry({ client: 'beta', count: 9 }),
      entry({ client: 'other', version: '2' }),
      entry({ client: 'third', route: 'car.add' }),
      entry({ client: null, count: 2 }),
    ]
    assert.deepEqual(usageOf(entries), {
      level: 'breaking',
      clients: [
        { client: 'beta', count: 9, lastSeen: '2026-11-01' },
        { client: 'acme', count: 7, lastSeen: '2026-11-20' },
        { client: null, count: 2, lastSeen: '2026-11-01' },
      ],
      isComplete: true,
    })
  })

  const quiet = [entry({ day: '2026-10-01', route: 'car.add' })]
  const cases: readonly (readonly [
    string,
    readonly UsageEntry[],
    Partial<VersionFinding>,
    string,
    string,
    boolean,
  ])[] = [
    ['nobody called', quiet, {}, '2026-10-15', 'info', true],
    ['the counts begin later', quiet, {}, '2026-09-01', 'breaking', true],
    ['there are no counts', [], {}, '2026-10-15', 'breaking', true],
    ['a client called', [...quiet, entry({ day: '2026-10-20' })], {}, '2026-10-15', 'breaking', true],
    ['a client called before', [...quiet, entry({ day: '2026-10-02' })], {}, '2026-10-15', 'info', true],
    [
      'clients were folded',
      [...quiet, entry({ day: '2026-10-20', route: 'car.add', client: '*' })],
      {},
      '2026-10-15',
      'breaking',
      false,
    ],
    [
      'routes were folded',
      [...quiet, entry({ day: '2026-10-20', route: '*' })],
      {},
      '2026-10-15',
      'breaking',
      false,
    ],
    [
      'folded ones were of another version',
      [...quiet, entry({ day: '2026-10-20', route: '*', version: '2' })],
      {},
      '2026-10-15',
      'info',
      true,
    ],
    [
      'the route has an operationId of its own',
      quiet,
      { places: [place('listCars')] },
      '2026-10-15',
      'breaking',
      false,
    ],
    ['the route has several methods', quiet, { places: [place('car.add.post')] }, '2026-10-15', 'info', true],
  ]
  for (const [title, entries, given, since, level, isComplete] of cases)
    it(`decide with --unused info: ${title}`, () => {
      const found = usageOf(entries, given, since)
      assert.deepEqual([found.level, found.isComplete], [level, isComplete])
    })
})

describe('findings with clients', () => {
  const check = addUsage(
    {
      level: 'breaking' as const,
      findings: [finding(), finding({ at: 'query page', places: [place('car.add')] })],
    },
    { entries: [entry({ count: 1204 }), entry({ client: 'beta', count: 2 })], routes, since: undefined },
    false,
  )
  const print = (format: 'text' | 'markdown') =>
    printComparison(check, format, { base: 'api', revision: 'the app', file: undefined }, styleFor({}, {}))

  it('say so as text', () => {
    assert.match(print('text'), /acme 1,204 calls, last on 2026-11-01; beta 2 calls, last on 2026-11-01/)
    assert.match(print('text'), /no calls were counted/)
  })

  it('are a comment ordered by client', () => {
    const heads = print('markdown')
      .split('\n')
      .filter((line) => line.startsWith('###'))
    assert.deepEqual(heads, ['### acme', '### beta', '### No calls were counted'])
  })

  it('have fingerprints, which allow.json takes', () => {
    const [first, second] = JSON.parse(JSON.stringify(toFindingsJson(check.findings)))
    assert.equal(first.fingerprint, '1 request-parameter-removed GET /v1/cars query limit')
    const allowed = readAllowed(
      JSON.stringify([{ fingerprint: second.fingerprint, reason: 'meant', until: '2099-01-01' }]),
    )
    assert.deepEqual(
      check.findings.flatMap((each) => withoutAllowed(each, allowed) ?? []).map(fingerprintOf),
      [first.fingerprint],
    )
    assert.throws(
      () => readAllowed('[{"fingerprint": "1 no-such-rule GET /", "reason": "x", "until": "2099-01-01"}]'),
      /unknown rule no-such-rule/,
    )
  })
})
