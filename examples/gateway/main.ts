/** Starts the Express application and the application in front of it: `npm run gateway`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'

import { createGateway } from './app.ts'

// any free port: PORT is that of the application in front
const behind = fork(new URL('garage/server.js', import.meta.url), {
  execArgv: [],
  env: { ...process.env, PORT: '0' },
})
const [port] = await once(behind, 'message')
process.env['GARAGE_URL'] = `http://127.0.0.1:${port}`

const app = createGateway()
const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' })
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void app.close().finally(() => behind.disconnect()))

console.log(`The garage listens on ${process.env['GARAGE_URL']}, and Octavo in front of it on ${url}.

The newest version, which passes as it is, and version 1, of which the garage knows nothing:
  curl ${url}/cars/1 -H 'x-version: 3'
  curl ${url}/cars/1 -H 'x-version: 1'
The parameter of a list was called limit before version 3:
  curl '${url}/cars?limit=1' -H 'x-version: 2'
The account acme is pinned to version 1:
  curl ${url}/cars/1 -H 'x-account: acme'
A route that was moved over, and one that only the garage has:
  curl ${url}/cars/brands
  curl ${url}/openapi.json
The documents of all versions are on ${url}/docs. Ctrl+C stops.`)
