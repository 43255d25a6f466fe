import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'

import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

const QUERY = { limit: 10, offset: 20 }
const BODY = { name: 'Ford', year: 2026, tags: ['blue'] }

/** Asks every route once. @throws `Error` when one does not answer as all applications have to. */
export async function exercise(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const route of ROUTES) {
    const expected = {
      id: '42',
      ...(route.kind === 'query' ? QUERY : {}),
      ...(route.kind === 'body' ? BODY : {}),
    }
    const answer = await ask(agent, port, route)
    if (!isDeepStrictEqual(JSON.parse(answer), expected)) throw new Error(`${route.prefix} answers ${answer}`)
  }
  agent.destroy()
}

function ask(agent: Agent, port: number, { kind, method, prefix }: AppRoute): Promise<string> {
  const query = kind === 'query' ? '?limit=10&offset=20' : ''
  const body = kind === 'body' ? JSON.stringify(BODY) : ''
  const headers = body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const asked = request(
      { agent, port, host: '127.0.0.1', method, path: `${prefix}/42${query}`, headers },
      (response) => {
        text(response).then(resolve, reject)
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}
