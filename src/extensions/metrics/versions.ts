import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

import { LOAD_CHANNEL, type ChangeLoad } from '../../changes/convert/load-channel.ts'
import { templateOf } from '../../router/path/template.ts'
import { subscribeChannel } from '../../base/platform.ts'
import { Channels, type RequestEnd } from '../../server/logging/channels.ts'
import type { VersionResolved } from '../../versioning/options.ts'

/** Counts the requests of versions that are about to go, and keeps the moments at which they do. */
export function countVersions(registry: Registry): void {
  const registers = [registry]
  const deprecated = new Counter({
    name: 'deprecated_requests_total',
    help: 'Requests in a version that is deprecated, beyond its sunset or retired.',
    labelNames: ['route', 'version', 'state'],
    registers,
  })
  const sunset = new Gauge({
    name: 'version_sunset_timestamp_seconds',
    help: 'When a version of a route ends, of those that were called.',
    labelNames: ['route', 'version'],
    registers,
    // all workers have the same moment
    aggregator: 'max',
  })
  const loads = new Histogram({
    name: 'version_change_load_duration_seconds',
    help: 'The time in which a change loaded data that only older versions show.',
    labelNames: ['change'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  subscribeChannel(LOAD_CHANNEL, (message) => {
    // the channel publishes nothing else
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { change, duration } = message as ChangeLoad
    loads.observe({ change }, duration / 1000)
  })
  subscribeChannel(Channels.version, (message) => {
    // the channel publishes nothing else
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { path, version, status } = message as VersionResolved
    if (status !== 'active')
      deprecated.inc({ route: templateOf(path), version: version ?? 'none', state: status })
  })
  subscribeChannel(Channels.end, (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const { context, response } = message as RequestEnd
    const { route, version } = context
    const until = Date.parse(String(response.headers['sunset'])) / 1000
    if (route !== null && Number.isFinite(until))
      sunset.set({ route: templateOf(route.path), version: version ?? 'none' }, until)
  })
}
