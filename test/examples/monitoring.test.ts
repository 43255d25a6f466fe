import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'

import { parser } from '@prometheus-io/lezer-promql'
import { defineController, Session, VersioningSchemes } from 'octavo'
import { createMetrics } from 'octavo/metrics'
import { rateLimit } from 'octavo/middleware'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import { createTestClient } from 'octavo/testing'
import { Registry } from 'prom-client'
import { parse } from 'yaml'
import { z } from 'zod'

import { ROOT } from '../support/octavo.ts'
import { serve } from '../support/serve.ts'

const FOLDER = join(ROOT, 'examples/operations')
const readText = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** A PromQL expression, where it stands, and the labels that its legend shows. */
interface Query {
  readonly where: string
  readonly expr: string
  readonly legend: readonly string[]
}

const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
})

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.object({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
})

const dashboard = Dashboard.parse(JSON.parse(readText('grafana/dashboard.json')))
const alerts = Rules.parse(parse(readText('alerts.yaml'))).groups.flatMap(({ rules }) => rules)

/** Grafana replaces its variables before Prometheus sees a query. */
const withoutVariables = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'api')

const queries: readonly Query[] = [
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `panel "${title}"`,
      expr: withoutVariables(expr),
      legend: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name),
    })),
  ),
  ...alerts.map(({ alert, expr, annotations }) => ({
    where: `alert ${alert}`,
    expr,
    legend: [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name = '']) => name),
  })),
]

/** A node of a parsed expression: its kind, its text and its children. */
interface Node {
  readonly kind: string
  readonly text: string
  readonly children: readonly Node[]
}

type Cursor = ReturnType<ReturnType<typeof parser.parse>['cursor']>

function toNode(cursor: Cursor, expr: string): Node {
  const children: Node[] = []
  const node = { kind: cursor.name, text: expr.slice(cursor.from, cursor.to), children }
  if (cursor.firstChild()) {
    do children.push(toNode(cursor, expr))
    while (cursor.nextSibling())
    cursor.parent()
  }
  return node
}

const parseQuery = (expr: string): Node => toNode(parser.parse(expr).cursor(), expr)

const findAll = (node: Node, kind: string): readonly Node[] =>
  (node.kind === kind ? [node] : []).concat(node.children.flatMap((child) => findAll(child, kind)))

const findTexts = (node: Node, kind: string): readonly string[] => findAll(node, kind).map(({ text }) => text)

/** Labels by the name of their metric, with the values that were seen. */
type Exposed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** Prometheus itself adds these to everything that it scrapes. */
const OF_PROMETHEUS = ['job', 'instance']

/** An application that has had requests of every kind, with the text of its metrics. */
async function expose(): Promise<{ readonly registry: Registry; readonly text: string }> {
  const registry = new Registry()
  const metrics = createMetrics({ registry })
  const unavailable = pinned({
    client: (request) => request.header('x-account'),
    store: { ...createMemoryStore(), get: () => Promise.reject(new Error('of the test')) },
  })
  const cars = defineController({
    name: 'cars',
    version: ['1', '2'],
    inject: { session: Session },
    routes: [
      { method: 'GET', middleware: [rateLimit({ limit: 4, window: 60 })], handler: () => 'car' },
      {
        method: 'POST',
        handler: ({ inject: { session } }) => void Object.assign(session.data, { user: 'Ann' }),
      },
      { method: 'DELETE', handler: ({ inject: { session } }) => session.destroy() },
    ],
  })
  const app = serve([cars, metrics.controller], {
    session: { secret: 'a secret of more than 32 characters' },
  })
  let now = Date.parse('2026-06-01')
  app.enableVersioning(VersioningSchemes.QUERY, {
    defaultVersion: unavailable,
    vary: ['x-account'],
    versions: { '1': { deprecated: '2026-01-01', sunset: '2027-01-01', retired: 'gone' } },
    clock: () => now,
  })
  const client = createTestClient(app)
  for (let count = 0; count < 3; count++)
    for (const version of ['1', '2']) await client.inject(`/cars?version=${version}`)
  for (const method of ['POST', 'DELETE']) await client.inject({ method, url: '/cars?version=2' })
  const refused = await client.inject({ url: '/cars', headers: { 'x-account': 'acme' } })
  assert.equal(refused.statusCode, 503)
  now = Date.parse('2027-06-01')
  await client.inject('/cars?version=1')
  const { body } = await client.inject('/metrics?version=2')
  return { registry, text: body }
}

/** Metrics have their labels before a series does; the values are those of series. */
function toExposed(registry: Registry, text: string): Exposed {
  const exposed = new Map<string, Map<string, Set<string>>>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const metric = registry.getSingleMetric(name)
    const labels: readonly string[] =
      metric !== undefined && 'labelNames' in metric ? z.array(z.string()).parse(metric.labelNames) : []
    const add = (series: string, more: readonly string[] = []): void => {
      exposed.set(series, new Map([...labels, ...more, ...OF_PROMETHEUS].map((label) => [label, new Set()])))
    }
    if (type === 'histogram') {
      for (const part of ['sum', 'count']) add(`${name}_${part}`)
      add(`${name}_bucket`, ['le'])
    } else add(name)
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      exposed.get(name)?.get(label)?.add(value)
  exposed.set('up', new Map(OF_PROMETHEUS.map((label) => [label, new Set()])))
  return exposed
}

/** What a query names that no application exposes. */
function findUnknown({ expr, legend }: Query, exposed: Exposed): readonly string[] {
  const root = parseQuery(expr)
  const selectors = findAll(root, 'VectorSelector')
  const unknown = selectors.flatMap((selector) => {
    const [name = ''] = findTexts(selector, 'Identifier')
    const labels = exposed.get(name)
    if (labels === undefined) return [name]
    return findAll(selector, 'UnquotedLabelMatcher').flatMap((matcher) => {
      const [label = ''] = findTexts(matcher, 'LabelName')
      const values = labels.get(label)
      if (values === undefined) return [`${name}{${label}}`]
      const [value = ''] = findTexts(matcher, 'StringLiteral').map((text): string => JSON.parse(text))
      const isRegex = findAll(matcher, 'EqlRegex').length > 0
      const isExact = findAll(matcher, 'EqlSingle').length > 0
      if (OF_PROMETHEUS.includes(label) || !(isRegex || isExact)) return []
      const fits = [...values].some((each) =>
        isRegex ? new RegExp(`^(?:${value})$`).test(each) : each === value,
      )
      return fits ? [] : [`${name}{${matcher.text}}`]
    })
  })
  const grouped = findAll(root, 'AggregateExpr').flatMap((aggregate) => {
    const labels = aggregate.children
      .filter(({ kind }) => kind === 'AggregateModifier')
      .flatMap((modifier) => findTexts(modifier, 'LabelName'))
    return findAll(aggregate, 'VectorSelector').flatMap((selector) => {
      const [name = ''] = findTexts(selector, 'Identifier')
      return labels.filter((label) => !exposed.get(name)?.has(label)).map((label) => `${name} by (${label})`)
    })
  })
  // a result of sums has the labels that they are by, and another one those of its metric
  const isSum = findAll(root, 'AggregateExpr').length > 0
  const outer = findAll(root, 'AggregateModifier').flatMap((modifier) => findTexts(modifier, 'LabelName'))
  const names = findTexts(root, 'Identifier')
  const hasLabel = (label: string): boolean =>
    isSum ? outer.includes(label) : names.every((name) => exposed.get(name)?.has(label))
  const shown = legend.filter((label) => !hasLabel(label))
  return [...unknown, ...grouped, ...shown.map((label) => `{{${label}}}`)]
}

describe('the dashboard and the alerts of examples/operations', () => {
  let exposed: Exposed = new Map()
  before(async () => {
    const { registry, text } = await expose()
    exposed = toExposed(registry, text)
  })

  it('are PromQL that a parser of Prometheus accepts', () => {
    assert.ok(queries.length > 30)
    const wrong = queries.filter(({ expr }) => findAll(parseQuery(expr), '⚠').length > 0)
    assert.deepEqual(wrong, [])
    assert.equal(findAll(parseQuery('sum by (a (b))'), '⚠').length > 0, true)
  })

  it('name only metrics, labels and values that an application exposes', () => {
    const unknown = queries.flatMap((query) =>
      findUnknown(query, exposed).map((what) => `${query.where}: ${what}`),
    )
    assert.deepEqual(unknown, [])
  })

  it('would be found out if they named others', () => {
    for (const [expr, expected] of [
      ['sum(http_request_total)', ['http_request_total']],
      ['sum(http_requests_total{code="200"})', ['http_requests_total{code}']],
      ['sum(sessions_total{event="begun"})', ['sessions_total{event="begun"}']],
      ['sum(request_errors_total{code=~"store_.+"})', ['request_errors_total{code=~"store_.+"}']],
      ['sum by (route) (server_connections)', ['server_connections by (route)']],
      ['rate(http_request_duration_seconds[5m])', ['http_request_duration_seconds']],
    ] as const)
      assert.deepEqual(findUnknown({ where: '', expr, legend: [] }, exposed), expected)
    const legend = ['version']
    for (const expr of ['sum(http_requests_total)', 'server_connections'])
      assert.deepEqual(findUnknown({ where: '', expr, legend }, exposed), ['{{version}}'])
  })

  it('have panels of their own places and ids', () => {
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    assert.equal(new Set(cells).size, cells.length)
    assert.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24))
  })

  it('use the metrics that octavo/metrics adds to those of the process', () => {
    const text = queries.map(({ expr }) => expr).join('\n')
    const own = [...exposed.keys()].filter(
      (name) => !/^(?:nodejs_|process_)|_(?:sum|count)$|_size_/.test(name),
    )
    assert.deepEqual(
      own.filter((name) => !text.includes(name)),
      [],
    )
  })

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0
  const skip = hasPromtool ? false : 'promtool is not installed'
  for (const [title, args] of [
    ['are rules that promtool accepts', ['check', 'rules', 'alerts.yaml']],
    ['have a configuration that promtool accepts', ['check', 'config', 'prometheus.yaml']],
    ['fire when they should, and not otherwise', ['test', 'rules', 'alerts.test.yaml']],
  ] as const)
    it(title, { skip }, () => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' })
      assert.equal(status, 0, stdout + stderr)
    })

  it('have a test for each alert', () => {
    const tested = [...readText('alerts.test.yaml').matchAll(/alertname: (\w+)/g)].map(([, name]) => name)
    for (const { alert } of alerts)
      assert.ok(tested.filter((name) => name === alert).length >= 2, `${alert} is not tested`)
  })
})
