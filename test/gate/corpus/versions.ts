import { documentOf, integer, object, string } from '../support.ts'
import type {
  CheckOptions,
  CurrentVersion,
  CheckedHistory,
  Severity,
  VersionSnapshot,
} from '../../inside/tools.ts'

/** What was kept of released versions, the application of today, and the findings that are expected: `level rule version`. */
export interface VersionPair {
  readonly reason: string
  readonly old: readonly VersionSnapshot[]
  readonly now: readonly CurrentVersion[]
  readonly expected: readonly string[]
  readonly options: CheckOptions
}

type ChangeInHistory = CheckedHistory['changes'][number]
const DOCUMENT = documentOf({ request: object({ name: string }) })
const OTHER = documentOf({ request: object({ name: integer }) })
const WIDER = documentOf({ request: object({ 'name?': string }) })
const named = (version: string): object => ({
  ...Object(DOCUMENT),
  info: { title: 'Cars', version: '1.0.0' },
  paths: {
    '/cars': {
      get: {
        operationId: 'car.list',
        parameters: [
          { name: 'x-version', in: 'header', required: true, schema: { type: 'string', enum: [version] } },
        ],
        responses: { 204: { description: 'None' } },
      },
    },
  },
})
const [NAMED_1, NAMED_2] = [named('version=1'), named('version=2')]
const kept = (version: string, more: Partial<VersionSnapshot> = {}): VersionSnapshot => ({
  version,
  sha256: '',
  at: '2026-01-01',
  document: DOCUMENT,
  ...more,
})
const today = (version: string, more: Partial<CurrentVersion> = {}): CurrentVersion => ({
  version,
  document: DOCUMENT,
  isDefault: false,
  ...more,
})
const row = (
  reason: string,
  old: readonly VersionSnapshot[],
  now: readonly CurrentVersion[],
  expected: readonly string[],
  options: CheckOptions = {},
): VersionPair => ({ reason, old, now, expected, options })

const two = [kept('1'), kept('2')]
const both = [today('1'), today('2')]
const OPERATION = 'POST /cars'
type Groups = readonly (readonly string[])[]
const served = (
  old: Groups,
  now: Groups,
  schemes: readonly (readonly string[])[] = [[], []],
): CheckOptions => ({
  serving: {
    old: { schemes: schemes[0] ?? [], routes: new Map([[OPERATION, old]]) },
    now: { schemes: schemes[1] ?? [], routes: new Map([[OPERATION, now]]) },
  },
})
const schemes = (old: readonly string[], now: readonly string[]): CheckOptions => served([], [], [old, now])
const change = (more: Partial<ChangeInHistory> = {}): ChangeInHistory => ({
  id: 'a',
  version: '2',
  routes: ['car.create'],
  hasSideEffects: false,
  ...more,
})
const withChange = (more: Partial<ChangeInHistory>): CheckOptions => ({
  history: { changes: [change(more)], problems: [] },
})
const withProblem = (code: string): CheckOptions => ({
  history: { changes: [change()], problems: [{ code, change: 'a', message: 'a', fix: 'b' }] },
})
const level = (rule: string, chosen: Severity): CheckOptions => ({ levels: new Map([[rule, chosen]]) })

export const VERSIONS: readonly VersionPair[] = [
  row('all is as it was', two, both, []),
  row('a version more', two, [...both, today('3')], []),
  row('a version less', two, [today('2')], ['breaking api-version-removed 1']),
  row(
    'a version less before its sunset',
    [kept('1', { sunset: '2027-01-01' }), kept('2')],
    [today('2')],
    ['breaking api-version-removed 1'],
  ),
  row(
    'a version less after its sunset',
    [kept('1', { sunset: '2026-01-01' }), kept('2')],
    [today('2')],
    ['info api-version-removed 1'],
  ),
  row('another order', two, both.toReversed(), ['breaking version-order-changed ']),
  row(
    'a version between others',
    two,
    [today('1'), today('1.5'), today('2')],
    ['breaking version-inserted 1.5'],
  ),
  row(
    'another default',
    [kept('1', { isDefault: true }), kept('2')],
    [today('1'), today('2', { isDefault: true })],
    ['breaking version-default-changed '],
  ),
  row('the same default', [kept('1', { isDefault: true })], [today('1', { isDefault: true })], []),
  row(
    'a released version differs',
    two,
    [today('1', { document: OTHER }), today('2')],
    ['breaking request-property-type-changed 1'],
  ),
  row(
    'a level of its own',
    two,
    [today('1', { document: OTHER }), today('2')],
    ['info request-property-type-changed 1'],
    level('request-property-type-changed', 'info'),
  ),
  row(
    'a rule that is turned off',
    two,
    [today('1', { document: OTHER }), today('2')],
    [],
    level('request-property-type-changed', 'none'),
  ),
  row('a finding that was allowed until a day', two, both, ['breaking allow-expired '], {
    allowed: [{ rule: 'a', reason: 'b', until: '2026-01-01' }],
  }),
  row('a scheme more', two, both, [], schemes(['header x-version'], ['header x-version', 'query version'])),
  row(
    'another name of a header',
    two,
    both,
    ['breaking version-scheme-changed '],
    schemes(['header x-version'], ['header x-api-version']),
  ),
  row(
    'another scheme',
    two,
    both,
    ['breaking version-scheme-changed '],
    schemes(['path'], ['header x-version']),
  ),
  row('the same routes', two, both, [], served([['1', '2']], [['1', '2']])),
  row('a route for a new version', two, [...both, today('3')], [], served([['1', '2']], [['1', '2'], ['3']])),
  row('a range that goes on', two, [...both, today('3')], [], served([['1', '2']], [['1', '2', '3']])),
  row(
    'a route for a released version',
    two,
    both,
    ['warning range-retargeted 2'],
    served([['1', '2']], [['1'], ['2']]),
  ),
  row(
    'a route that serves one more released version',
    two,
    both,
    ['warning range-retargeted 2'],
    served([['1'], ['2']], [['1', '2']]),
  ),
  row(
    'a route for a released version, with another document',
    two,
    [today('1'), today('2', { document: OTHER })],
    ['breaking range-retargeted 2', 'breaking request-property-type-changed 2'],
    served([['1', '2']], [['1'], ['2']]),
  ),
  row('a change that reaches a route', two, both, [], withChange({})),
  row(
    'a change that reaches nothing',
    two,
    both,
    ['warning change-without-effect 2'],
    withChange({ routes: [] }),
  ),
  row('a change that handlers ask for', two, both, [], withChange({ routes: [], hasSideEffects: true })),
  ...['narrower', 'failed', 'wrong_example', 'unknown_field'].map((code) =>
    row(
      `a change whose check says ${code}`,
      two,
      both,
      [`breaking change-${code.replaceAll('_', '-')} 2`],
      withProblem(code),
    ),
  ),
  ...['lost', 'unfit', 'unchecked'].map((code) =>
    row(`a change whose values say ${code}`, two, both, [`warning change-${code} 2`], withProblem(code)),
  ),
  row(
    'a version breaks, and its change tells of it',
    [kept('1'), kept('2', { document: OTHER })],
    [today('1'), today('2', { document: OTHER })],
    [],
    withChange({}),
  ),
  row(
    'a version breaks, and a change tells of all routes of the controller',
    [kept('1'), kept('2', { document: OTHER })],
    [today('1'), today('2', { document: OTHER })],
    [],
    withChange({ routes: ['car.*'] }),
  ),
  row(
    'a version breaks, and no change tells of it',
    [kept('1'), kept('2', { document: OTHER })],
    [today('1'), today('2', { document: OTHER })],
    ['warning diff-unexplained 2'],
    withChange({ routes: ['van.create'] }),
  ),
  row(
    'a version breaks, and routes of their own were kept for older versions',
    [kept('1'), kept('2', { document: OTHER })],
    [today('1'), today('2', { document: OTHER })],
    [],
    { ...withChange({ routes: ['van.create'] }), ...served([['1'], ['2']], [['1'], ['2']]) },
  ),
  row(
    'a version breaks, and one route serves it and the one before',
    [kept('1'), kept('2', { document: OTHER })],
    [today('1'), today('2', { document: OTHER })],
    ['warning diff-unexplained 2'],
    { ...withChange({ routes: ['van.create'] }), ...served([['1', '2']], [['1', '2']]) },
  ),
  row(
    'versions are named in a parameter, and the application gives its documents another version',
    [kept('1', { document: NAMED_1 }), kept('2', { document: NAMED_2 })],
    [today('1', { document: NAMED_1 }), today('2', { document: NAMED_2 })],
    [],
    withChange({ routes: ['van.create'] }),
  ),
  row(
    'a version takes more, and no change tells of it',
    [kept('1'), kept('2', { document: WIDER })],
    [today('1'), today('2', { document: WIDER })],
    [],
    withChange({ routes: ['van.create'] }),
  ),
]
