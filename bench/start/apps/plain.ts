import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { z } from 'zod'

import { report } from './report.ts'
import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

type Handler = (request: IncomingMessage, id: string, search: string) => object | Promise<object>

const handlers = new Map(ROUTES.map((route) => [`${route.method} ${route.prefix}`, toHandler(route)]))
const server = createServer((request, response) => {
  void answer(request, response)
})
server.listen(0, '127.0.0.1', () => {
  void report((server.address() as AddressInfo).port)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const slash = path.lastIndexOf('/')
  const handler = handlers.get(`${request.method} ${path.slice(0, slash)}`)
  response.statusCode = handler === undefined ? 404 : 200
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(await handler?.(request, path.slice(slash + 1), search)))
}

function toHandler({ kind }: AppRoute): Handler {
  switch (kind) {
    case 'query': {
      const query = z.object({ limit: z.coerce.number().int(), offset: z.coerce.number().int() })
      return (_request, id, search) => ({
        id,
        ...query.parse(Object.fromEntries(new URLSearchParams(search))),
      })
    }
    case 'body': {
      const body = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
      return async (request, id) => ({ id, ...body.parse(await readJson(request)) })
    }
    case 'plain':
      return (_request, id) => ({ id })
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
