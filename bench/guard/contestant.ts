/** Who answers the requests of a scenario: Octavo, or node:http alone, with the same answer. */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'

import type { App, InjectOptions, InjectResponse } from '../../src/index.ts'
import type { GuardRequest, Scenario } from './scenarios.ts'
import { connect, serverOf } from './wire.ts'
import type { Connection, Send } from './wire.ts'

/** `bare`: what node:http, the connection and this guard cost by themselves. */
export type Contestant = 'octavo' | 'bare'

/** Gets ready for the requests of a scenario. @throws `Error` when the answer is another than it has to be. */
export async function openScenario(scenario: Scenario, contestant: Contestant): Promise<Send> {
  const { door, request } = scenario
  const app = scenario.createApp()
  const answer = await app.inject(toInjectOptions(request))
  check(scenario, answer.statusCode, answer.body)
  if (door === 'inject') return contestant === 'bare' ? sendNothing : sendBy(app, toInjectOptions(request))
  if (contestant === 'bare') return (await openBare(request, answer)).send
  const { first, send } = await connect(await serverOf(app), request)
  check(scenario, Number(first.split(' ', 2)[1]), first)
  return send
}

function check({ name, status }: Scenario, actual: number, text: string): void {
  if (actual !== status) throw new Error(`${name}: ${actual} instead of ${status}: ${text}`)
}

async function sendNothing(): Promise<void> {
  // bare: there is nothing below inject
}

function sendBy(app: App, options: InjectOptions): Send {
  return async (times) => {
    for (let left = times; left > 0; left--) await app.inject(options)
  }
}

function openBare({ body, ...request }: GuardRequest, answer: InjectResponse): Promise<Connection> {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value].flat()]),
  )
  const server = createServer((incoming, response) => {
    const end = (): void => {
      response.writeHead(answer.statusCode, headers)
      response.end(answer.body)
    }
    if (body === undefined) end()
    else readAll(incoming, end)
  })
  return connect(server, body === undefined ? request : { ...request, body })
}

function readAll(incoming: IncomingMessage, end: () => void): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.once('end', () => {
    Buffer.concat(chunks)
    end()
  })
}

function toInjectOptions({ method, url, headers, body }: GuardRequest): InjectOptions {
  return { method, url, headers, ...(body === undefined ? {} : { body }) }
}
