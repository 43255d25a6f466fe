import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { App } from 'octavo'

import { createRatesApp, WAYS } from './apps.ts'
import type { Ask, WayName } from './apps.ts'
import { createDatedApp } from './dated.ts'

const isWay = (name: string): name is WayName => Object.hasOwn(WAYS, name)
const ways = Object.keys(WAYS).filter(isWay)

/** One application for each scheme, told apart by the first segment of the path: `/query/rates`. */
const apps: ReadonlyMap<string, App> = new Map([
  ...ways.map((way) => [way, createRatesApp(way, { prefix: `/${way}`, logger: false })] as const),
  ['dated', createDatedApp({ prefix: '/dated', logger: false })],
])
await Promise.all([...apps.values()].map((app) => app.ready()))

const server = createServer((request, response) => {
  const app = apps.get(request.url?.split(/[/?]/)[1] ?? '')
  if (app === undefined) response.writeHead(404).end(`Use one of ${[...apps.keys()].join(', ')}\n`)
  else app.handler(request, response)
})
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
await once(server, 'listening')
// a server that listens on a port has an address
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { port } = server.address() as AddressInfo

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close()
    void Promise.all([...apps.values()].map((app) => app.close()))
  })
}

/** A command to paste, behind the status that comes back. */
function curl(status: number, { path, headers = {} }: Ask): string {
  const given = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}' `)
  return `  ${status}  curl -i ${given.join('')}'http://127.0.0.1:${port}${path}'`
}

const dated = (path: string, version?: string): Ask => ({
  path: `/dated${path}`,
  ...(version === undefined ? {} : { headers: { 'X-API-Version': version } }),
})

const lines = [
  ...ways.flatMap((way) => {
    const { title, ask, unknown } = WAYS[way]
    const under = ({ path, ...rest }: Ask): Ask => ({ path: `/${way}${path}`, ...rest })
    return [
      `\nVersions in ${title}: the default, 2, 3, and one that does not exist`,
      curl(200, under({ path: '/rates' })),
      curl(200, under(ask('/rates', '2'))),
      curl(200, under(ask('/rates/USD/JPY', '3'))),
      curl(unknown, under(ask('/rates', '9'))),
    ]
  }),
  '\nThe path and the header at once: they may agree, and must not contradict each other',
  curl(200, { path: '/both/v2/rates' }),
  curl(200, { path: '/both/v2/rates', headers: { 'X-API-Version': '2' } }),
  curl(400, { path: '/both/v2/rates', headers: { 'X-API-Version': '3' } }),
  '\nVersions that are days: current; what was current on a day (deprecated now); retired; before the first; no day; none',
  curl(200, dated('/rates', '2026-03-01')),
  curl(200, dated('/rates', '2026-02-14')),
  curl(410, dated('/rates', '2025-01-01')),
  curl(406, dated('/rates', '2024-12-31')),
  curl(400, dated('/rates', '2026-02-30')),
  curl(400, dated('/rates')),
  '\nWhat versions there are, and who still uses old ones',
  curl(200, dated('/versions')),
  curl(200, dated('/usage')),
]

console.log(
  `The rates listen on http://127.0.0.1:${port}, once for each way for versions to travel, described on /url/docs and the like.\n${lines.join('\n')}\n\nCtrl+C stops.`,
)
