import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { createMetrics } from 'octavo/metrics'
import { Registry } from 'prom-client'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/guide/metrics.md'), 'utf8')
const NAME = /\b(?:http|server|store|sessions|rate_limit|process|nodejs)_[a-z\d_]+\b/g
/** What prom-client appends to the names of histograms. */
const SERIES = /_(?:bucket|sum|count)$/
/** The labels of the metrics of requests, which stand in braces. */
const LABELS = new Set([
  'method',
  'route',
  'status',
  'version',
  'le',
  'event',
  'store',
  'operation',
  'outcome',
])

/** The types of the metrics of a registry, by their names. */
async function typesOf({ processMetrics }: { readonly processMetrics: boolean }) {
  const { registry } = createMetrics({ registry: new Registry(), processMetrics })
  return new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
}

/** The cells of the rows of tables whose first cell is one name. */
function rows(): ReadonlyMap<string, string> {
  const found = PAGE.matchAll(/^\| `(\w+)` +\| (counter|gauge|histogram) +\|/gm)
  return new Map([...found].map(([, name = '', type = '']) => [name, type]))
}

describe('the page of metrics', () => {
  it('lists every metric with its type, and those of prom-client that it explains', async () => {
    const own = await typesOf({ processMetrics: false })
    const all = await typesOf({ processMetrics: true })
    const listed = rows()
    for (const [name, type] of own) assert.equal(listed.get(name), type, name)
    assert.ok(listed.size > own.size)
    for (const [name, type] of listed) assert.equal(all.get(name), type, name)
  })

  it('names only metrics and labels that exist', async () => {
    const all = await typesOf({ processMetrics: true })
    const named = [...PAGE.matchAll(NAME)].map(([name]) => name)
    assert.ok(named.length > 20)
    for (const name of named) {
      const isSeries = all.get(name.replace(SERIES, '')) === 'histogram'
      assert.ok(all.has(name) || isSeries, `${name} does not exist`)
    }
    const labels = [...PAGE.matchAll(/[{,](\w+)=~?"/g)].map(([, label = '']) => label)
    assert.ok(labels.length > 5)
    assert.deepEqual(
      labels.filter((label) => !LABELS.has(label)),
      [],
    )
  })
})
