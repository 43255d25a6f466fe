import type { IncomingMessage, ServerResponse } from 'node:http'

import inject from 'light-my-request'
import { z } from 'zod'

import { Car, SORTS, WELCOME } from './requests.ts'
import type { Answer, Call } from './requests.ts'
import { sendJson } from '../http/send.ts'

const Query = z.object({
  limit: z.coerce.number().int(),
  offset: z.coerce.number().int(),
  sort: z.enum(SORTS),
})

/** A listener written by hand for node:http, called through light-my-request. */
export function createPlain(): (call: Call) => Promise<Answer> {
  return async ({ method, url, json }) => {
    const response = await inject(
      listener,
      json === undefined ? { method, url } : { method, url, payload: json },
    )
    return { status: response.statusCode, json: response.json() }
  }
}

function listener(request: IncomingMessage, response: ServerResponse): void {
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const route = `${request.method} ${path}`
  if (route === 'GET /cars/welcome') sendJson(response, 200, WELCOME)
  else if (route === 'GET /cars')
    sendParsed(response, Query.safeParse(Object.fromEntries(new URLSearchParams(search))))
  else if (route === 'POST /cars') readJson(request, (value) => sendParsed(response, Car.safeParse(value)))
  else {
    const [, id] = /^\/cars\/(\d+)$/.exec(path) ?? []
    if (id === undefined) sendJson(response, 404, { detail: 'Nothing is here' })
    else sendJson(response, 200, { id: Number(id) })
  }
}

function sendParsed(response: ServerResponse, result: z.ZodSafeParseResult<unknown>): void {
  if (result.success) sendJson(response, 200, result.data)
  else sendJson(response, 422, result.error.issues)
}

function readJson(request: IncomingMessage, done: (value: unknown) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())))
}
