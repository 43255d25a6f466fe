import type { RequestHandler } from 'express'
import type { FastifyInstance } from 'fastify'
import type { MiddlewareHandler } from 'hono'

const HEADER = 'x-api-version'

/** The change, as a team writes it that has no tool for it. */
function toOlder(body: unknown): unknown {
  const { label, ...rest } = body as Record<string, unknown>
  return { name: label, ...rest }
}

/** Only versions of this list are answered. */
const VERSIONS = new Set(['1', '2'])

function versionOf(header: string | string[] | undefined): string {
  const version = typeof header === 'string' ? header : '2'
  if (!VERSIONS.has(version)) throw new Error('There is no such version')
  return version
}

export const convertHono: MiddlewareHandler = async (c, next) => {
  const version = versionOf(c.req.header(HEADER))
  await next()
  c.res.headers.append('vary', HEADER)
  if (version === '2') return
  const { status, headers } = c.res
  c.res = Response.json(toOlder(await c.res.json()), { status, headers })
}

export const convertExpress: RequestHandler = (request, response, next) => {
  const version = versionOf(request.headers[HEADER])
  response.vary(HEADER)
  if (version === '1') {
    const { json } = response
    response.json = (body) => json.call(response, toOlder(body))
  }
  next()
}

export function convertFastify(server: FastifyInstance): void {
  server.addHook('preSerialization', async (request, reply, payload) => {
    const version = versionOf(request.headers[HEADER])
    reply.header('vary', HEADER)
    return version === '1' ? toOlder(payload) : payload
  })
}
