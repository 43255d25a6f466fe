import { createApp, defineController, defineModule, file, sse, stream } from 'octavo'
import { staticFiles } from 'octavo/middleware'
import type { App, AppOptions } from 'octavo'

import type { Measurement, Station } from './station.ts'

const HERE = new URL('./', import.meta.url)

/** A weather station on the web: a page, events as they happen, exports, and files. */
export function createStationApp(station: Station, options: AppOptions = {}): App {
  const controller = defineController({
    prefix: '/measurements',
    routes: [
      {
        method: 'GET',
        path: '/events',
        handler: () =>
          sse(async function* events({ lastEventId, signal }) {
            // a browser that was away says what it has seen
            for await (const measurement of station.watch(Number(lastEventId ?? 0), signal))
              yield { event: 'measurement', id: String(measurement.id), data: measurement }
          }),
      },
      {
        method: 'GET',
        path: '/export.csv',
        handler: () =>
          stream(toCsv(station.since(0)), {
            type: 'text/csv; charset=utf-8',
            headers: { 'content-disposition': 'attachment; filename="measurements.csv"' },
          }),
      },
      {
        method: 'GET',
        path: '/latest.json',
        handler: () => {
          const latest = JSON.stringify(station.since(0).at(-1) ?? null)
          return file(Buffer.from(latest), { filename: 'latest.json', disposition: 'inline' })
        },
      },
      {
        method: 'GET',
        path: '/source/{name}',
        handler: ({ params }) => file(params.name, { root: HERE, type: 'text/plain; charset=utf-8' }),
      },
    ],
  })
  return createApp(defineModule({ controllers: [controller] }), {
    middleware: [staticFiles({ root: new URL('public/', HERE) })],
    ...options,
  })
}

// line by line: an export of any length takes no more memory than its longest line
function* toCsv(measurements: Iterable<Measurement>): Generator<string> {
  yield 'id,time,temperature\n'
  for (const { id, time, temperature } of measurements) yield `${id},${time},${temperature}\n`
}
