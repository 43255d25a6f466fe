import { defineController, defineRouter, file } from 'octavo'
import { compression, csrf, etag, rateLimit } from 'octavo/middleware'

/** The folder of the files that are served. */
export const ROOT: URL = new URL('files/', import.meta.url)

const LINES = 'a line that can be compressed\n'.repeat(200)

/** Routes whose answer something around them changes. */
export const around = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      path: '/limited',
      middleware: [rateLimit({ limit: 20, window: 1, maxKeys: 100 })],
      handler: () => 'within the limit',
    },
    {
      method: 'GET',
      path: '/compressed',
      middleware: [compression(), etag()],
      handler: () => ({ lines: LINES }),
    },
    {
      method: 'GET',
      path: '/compressed/stream',
      middleware: [compression({ threshold: 0 })],
      handler: async function* lines() {
        for (let count = 0; count < 20; count++) yield LINES
      },
    },
    { method: 'GET', path: '/tagged', middleware: [etag()], handler: () => 'tagged' },
    { method: ['GET', 'POST'], path: '/guarded', middleware: [csrf()], handler: () => 'same site' },
    { method: 'GET', path: '/download', handler: () => file('car.txt', { root: ROOT, filename: 'é.txt' }) },
    { method: 'GET', path: '/download/{name}', handler: ({ params }) => file(params.name, { root: ROOT }) },
    {
      method: 'GET',
      path: '/memory',
      handler: () => file(Buffer.from(LINES), { filename: 'lines.txt' }),
    },
  ],
})

/** A handler of the web platform below a path. */
export const mounted = defineRouter({
  name: 'mounted',
  prefix: '/web',
  mount: async (request) => {
    const { byteLength } = await request.arrayBuffer()
    return Response.json({ method: request.method, byteLength })
  },
})
