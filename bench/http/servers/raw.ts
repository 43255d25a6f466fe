import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'node:querystring'

import { z } from 'zod'

import type { Serve } from '../contestants.ts'
import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { CarQuery, NewCar } from '../schemas.ts'
import { sendJson } from '../send.ts'

const BODY_LIMIT = 1_048_576

const Query = z.compile(CarQuery)
const Body = z.compile(NewCar)

const answer: RequestListener = (request, response) => {
  const target = request.url ?? '/'
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  switch (path) {
    case '/hello':
      return sendJson(response, 200, { hello: 'world' })
    case '/cars':
      if (request.method === 'POST') return addCar(request, response)
      return listCars(response, mark === -1 ? '' : target.slice(mark + 1))
    case '/garage':
      return showGarage(request, response)
    case '/catalogue':
      return sendJson(response, 200, CATALOGUE)
    case '/private':
      if (request.headers.authorization !== TOKEN) return sendJson(response, 401, { error: 'Unauthorized' })
      return sendJson(response, 200, { user: 'Ann' })
    default:
      return path.startsWith('/cars/') ? showCar(response, path.slice(6)) : notFound(response)
  }
}

function showCar(response: ServerResponse, text: string): void {
  if (!/^-?\d{1,15}$/.test(text)) return notFound(response)
  const id = Number(text)
  return sendJson(response, 200, { id, name: `Car ${id}` })
}

function listCars(response: ServerResponse, search: string): void {
  const query = Query.safeParse(parse(search))
  return query.success ? sendJson(response, 200, query.data) : invalid(response, query.error)
}

function addCar(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= BODY_LIMIT) chunks.push(chunk)
  })
  request.on('end', () => {
    if (size > BODY_LIMIT) return sendJson(response, 413, { error: 'Body too large' })
    const body = Body.safeParse(parseJson(Buffer.concat(chunks).toString()))
    return body.success ? sendJson(response, 201, { id: 1, ...body.data }) : invalid(response, body.error)
  })
}

function showGarage({ headers }: IncomingMessage, response: ServerResponse): void {
  switch (headers['x-api-version']) {
    case '1':
      return sendJson(response, 200, { version: 1 })
    case '2':
      return sendJson(response, 200, { version: 2, doors: ['left', 'right'] })
    default:
      return notFound(response)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function notFound(response: ServerResponse): void {
  sendJson(response, 404, { error: 'Not found' })
}

function invalid(response: ServerResponse, { issues }: z.ZodError): void {
  sendJson(response, 422, { error: 'Invalid', issues })
}

/** The most that `node:http` gives: every request by hand, schemas compiled ahead of time. */
export const serve: Serve = () =>
  new Promise((resolve) => {
    const server = createServer(answer)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
