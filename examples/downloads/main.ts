import { createStationApp } from './app.ts'
import { createStation } from './station.ts'

const station = createStation()
const app = createStationApp(station, { logger: false })
const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
setInterval(() => station.measure(Math.round(150 + 50 * Math.sin(Date.now() / 10_000)) / 10), 1_000).unref()

console.log(`The weather station listens on ${url}

Try:
  ${url}/                                    (in a browser: measurements as they come)
  curl -N ${url}/measurements/events
  curl -N -H 'Last-Event-ID: 3' ${url}/measurements/events
  curl ${url}/measurements/export.csv
  curl -i -r 0-99 ${url}/measurements/source/app.ts        (206: the first hundred bytes)
  curl -i ${url}/measurements/source/..%2Fcar%2Fapp.ts     (404: outside of the folder)

Ctrl+C stops.`)
