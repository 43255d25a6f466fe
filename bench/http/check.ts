import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { request } from 'node:http'
import type { Agent, IncomingMessage } from 'node:http'

import { SCENARIOS, TRIALS } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'

/** How large the answers are that every framework shapes in its own way, headers included, by the names of the scenarios. */
export type Sizes = Readonly<Record<string, number>>

interface Answer {
  readonly message: IncomingMessage
  readonly text: string
}

/** Makes sure that a server does all that is asked of it; throws what it does otherwise. `isAsked` leaves requests out. */
export async function check(
  label: string,
  port: number,
  agent: Agent,
  isAsked: (request: Pick<Scenario, 'path'>) => boolean = () => true,
): Promise<Sizes> {
  const problems: string[] = []
  const sizes: Record<string, number> = {}
  const attempt = async (title: string, verify: () => Promise<void>): Promise<void> => {
    try {
      await verify()
    } catch (error) {
      problems.push(`${title}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  for (const scenario of SCENARIOS.filter(isAsked)) {
    await attempt(scenario.title, async () => {
      const answer = await send(scenario, port, agent)
      verifyBody(scenario, answer, [scenario.status])
      verifyHead(answer)
      sizes[scenario.name] = sizeOf(answer)
    })
  }
  for (const trial of TRIALS.filter(isAsked))
    await attempt(trial.title, async () => verifyBody(trial, await send(trial, port, agent), trial.status))
  if (problems.length > 0) throw new Error(`${label} does not do the same work:\n${problems.join('\n')}`)
  return sizes
}

function verifyBody(
  { answer }: Pick<Scenario, 'answer'>,
  { message, text }: Answer,
  statuses: readonly number[],
): void {
  const status = message.statusCode ?? 0
  ok(statuses.includes(status), `status ${status} and not ${statuses.join(' or ')}: ${text.slice(0, 200)}`)
  if (answer !== undefined) deepEqual(JSON.parse(text), answer)
}

/** Refusals are as each framework shapes them; only what it takes to keep the connection is looked at. */
function verifyHead({ message, text }: Answer): void {
  const { headers, statusCode = 0 } = message
  ok(Number.isFinite(Date.parse(headers.date ?? '')), `date: ${headers.date}`)
  ok(headers.connection !== 'close', 'the connection is closed')
  if (statusCode >= 400) return
  equal(headers['content-length'], String(Buffer.byteLength(text)), 'content-length')
  match(headers['content-type'] ?? '', /^application\/json(;|$)/)
}

function sizeOf({ message, text }: Answer): number {
  const lines = message.rawHeaders.map((part) => part.length + 2)
  const status = `HTTP/1.1 ${message.statusCode} ${message.statusMessage}\r\n`
  return status.length + lines.reduce((sum, length) => sum + length, 2) + Buffer.byteLength(text)
}

type Sent = Pick<Scenario, 'method' | 'path' | 'headers' | 'body'>

function send({ method, path, headers, body }: Sent, port: number, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type =
      text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const options = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...type } }
    const sent = request(options, (message) => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('end', () => resolve({ message, text: Buffer.concat(chunks).toString() }))
      message.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(text)
  })
}
