/** Who answers the requests of a scenario: Octavo, or nobody, which shows what the connection and this guard cost. */
import { createApp, type App, type InjectOptions } from '../../src/index.ts'
import { isPromise } from '../../src/base/values.ts'
import type { RawRequest } from '../../src/http/http.ts'
import { internalsOf } from '../../src/server/adapters/internals.ts'
import type { GuardRequest, Scenario } from './scenarios.ts'
import { connect, connectEcho, serverOf, type Send } from './wire.ts'

/** `none`: the same text goes over the same connection, without HTTP. */
export type Contestant = 'octavo' | 'none'

/** Gets ready for the requests of a scenario. @throws `Error` when the answer is another than it has to be. */
export function openScenario(scenario: Scenario, contestant: Contestant): Promise<Send> {
  if (scenario.adapter === 'dispatch') return openDispatch(scenario)
  return scenario.adapter === 'inject' ? openInject(scenario) : openListen(scenario, contestant)
}

async function openDispatch(scenario: Scenario): Promise<Send> {
  const app = toApp(scenario)
  await app.ready()
  const { dispatch } = await internalsOf(app, 'guard').start()
  const raw = toRawRequest(scenario.request)
  const { status, body } = await dispatch(raw).response
  check(scenario, status, typeof body === 'string' ? body : '')
  let last
  return async (times) => {
    for (let left = times; left > 0; left--) {
      // kept, as adapters do: whether the compiler leaves a result out that nobody keeps is chance
      last = dispatch(raw)
      if (isPromise(last.response)) await last.response
    }
  }
}

async function openInject(scenario: Scenario): Promise<Send> {
  const app = toApp(scenario)
  await app.ready()
  const { method, url, headers, body } = scenario.request
  const options: InjectOptions = { method, url, headers, ...(body === undefined ? {} : { body }) }
  const answer = await app.inject(options)
  check(scenario, answer.statusCode, answer.body)
  return async (times) => {
    for (let left = times; left > 0; left--) await app.inject(options)
  }
}

async function openListen(scenario: Scenario, contestant: Contestant): Promise<Send> {
  const { first, send } = await connect(await serverOf(toApp(scenario)), scenario.request)
  check(scenario, Number(first.split(' ', 2)[1]), first)
  return contestant === 'octavo' ? send : (await connectEcho(first, scenario.request)).send
}

function toApp({ setup }: Scenario): App {
  return createApp(setup.module, setup.options)
}

function toRawRequest({ method, url, headers, body }: GuardRequest): RawRequest {
  const bytes = Buffer.from(body ?? '')
  return {
    method,
    target: url,
    headers,
    lines: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    remoteAddress: '127.0.0.1',
    protocol: 'http',
    body: {
      length: bytes.length,
      read: () => Promise.resolve(bytes),
      chunks: async function* chunks() {
        yield bytes
      },
    },
    signal: new AbortController().signal,
    isArriving: false,
    abort: () => undefined,
  }
}

function check({ name, status }: Scenario, actual: number, text: string): void {
  if (actual !== status) throw new Error(`${name}: ${actual} instead of ${status}: ${text}`)
}
