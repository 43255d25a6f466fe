import type { IncomingMessage, ServerResponse } from 'node:http'

import inject from 'light-my-request'
import { z } from 'zod'

import { Car, SORTS, WELCOME } from './requests.ts'
import type { Answer, Call } from './requests.ts'

const Query = z.object({
  limit: z.coerce.number().int(),
  offset: z.coerce.number().int(),
  sort: z.enum(SORTS),
})

/** A listener written by hand for node:http, called through light-my-request. */
export function createPlain(): (call: Call) => Promise<Answer> {
  return async ({ method, url, json }) => {
    const response = await inject(
      (request, response_) => void listener(request, response_),
      json === undefined ? { method, url } : { method, url, payload: json },
    )
    return { status: response.statusCode, json: response.json() }
  }
}

async function listener(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', search = ''] = (request.url ?? '').split('?')
  if (request.method === 'GET' && path === '/cars/welcome') {
    send(response, 200, WELCOME)
  } else if (request.method === 'GET' && path === '/cars') {
    const query = Query.safeParse(Object.fromEntries(new URLSearchParams(search)))
    send(response, query.success ? 200 : 422, query.success ? query.data : query.error.issues)
  } else if (request.method === 'POST' && path === '/cars') {
    const car = Car.safeParse(await readJson(request))
    send(response, car.success ? 200 : 422, car.success ? car.data : car.error.issues)
  } else {
    const [, id] = /^\/cars\/(\d+)$/.exec(path) ?? []
    if (id === undefined) send(response, 404, { detail: 'Nothing is here' })
    else send(response, 200, { id: Number(id) })
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
