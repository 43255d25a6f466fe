import { Agent, request as httpRequest } from 'node:http'

import type { App } from 'octavo'

/** Makes a request of a kind, and says what should not be in its answer. */
type Make = (n: number) => Promise<string | undefined>

/** Requests that an application of `createFaultApp` gets all day, in turn. */
export interface Mix {
  readonly make: Make
  readonly close: () => void
}

const expect = (is: number, should: number, what: string): string | undefined =>
  is === should ? undefined : `${what}: ${is} instead of ${should}`
const BODY = { name: 'Ford', year: 1990, tags: ['a', 'b'] }

/** Makes the requests of an application, through `inject` and over sockets to where it listens. */
export function createMix(app: App, url: string): Mix {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const { port } = new URL(url)
  const send = (method: string, path: string, body?: string, cutAfter?: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const request = httpRequest({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
        const { statusCode = 0 } = response
        if (cutAfter !== undefined) {
          response.once('data', () => {
            response.destroy()
            resolve(statusCode)
          })
          return
        }
        response.resume().once('end', () => resolve(statusCode))
      })
      request.once('error', reject)
      request.end(body)
    })
  const upload = (n: number): FormData => {
    const form = new FormData()
    form.set('title', `Title ${n}`)
    form.set('picture', new File([`Picture ${n}`], `${n}.txt`))
    return form
  }
  const kinds: readonly Make[] = [
    async (n) => expect((await app.inject(`/canary/${n}`)).statusCode, 200, 'inject GET'),
    async (n) => expect((await app.inject(`/nowhere/${n}`)).statusCode, 404, 'inject 404'),
    async (n) => expect((await app.inject(`/v${n + 10}/cars/1`)).statusCode, 404, 'inject version'),
    async (n) =>
      expect(
        (await app.inject({ method: 'POST', url: '/cars', json: { ...BODY, name: `Ford ${n}` } })).statusCode,
        201,
        'inject POST',
      ),
    async (n) => expect((await app.inject(`/cars?limit=x${n}`)).statusCode, 422, 'inject 422'),
    async (n) => expect((await app.inject(`/session/new?n=${n}`)).statusCode, 200, 'inject session'),
    async (n) => expect((await app.inject(`/scoped?n=${n}`)).statusCode, 200, 'inject scope'),
    async (n) =>
      expect(
        (await app.inject({ url: '/compressed', headers: { 'accept-encoding': `gzip;q=0.${n}` } }))
          .statusCode,
        200,
        'inject compression',
      ),
    async (n) =>
      expect(
        (await app.inject({ method: 'POST', url: '/upload', multipart: upload(n) })).statusCode,
        200,
        'inject upload',
      ),
    async () => {
      const aborted = AbortSignal.timeout(2)
      const outcome = app.inject({ url: '/stream/endless', signal: aborted })
      return outcome.then(
        () => 'inject abort: was answered',
        () => undefined,
      )
    },
    async () => expect((await app.inject('/stream/generator')).statusCode, 200, 'inject stream'),
    async () => expect((await app.inject('/throw')).statusCode, 500, 'inject 500'),
    async (n) => expect(await send('GET', `/v2/cars/${n}`), 200, 'GET'),
    async (n) => expect(await send('GET', `/cars?version=2&offset=${n}`), 200, 'GET with query'),
    async (n) => expect(await send('GET', `/cars/${n}/nothing`), 404, '404'),
    async (n) => expect(await send('PUT', `/cars/${n}`, JSON.stringify(BODY)), 200, 'PUT'),
    async (n) => expect(await send('POST', '/cars', `{"name":"${n}"`), 400, 'malformed JSON'),
    async () => expect(await send('GET', '/download'), 200, 'file'),
    async () => expect(await send('GET', '/stream/node'), 200, 'stream'),
    async () => expect(await send('GET', '/stream/endless', undefined, 0), 200, 'stream that is cut'),
  ]
  /** Most requests take no time, some hold a file or a stream. */
  const often = [0, 1, 2, 3, 4, 5, 6, 12, 13, 14, 15, 16]
  const cheap = [...often, ...often, ...often, ...often]
  const turn = [...cheap, 7, ...cheap, 8, ...cheap, 9, 10, ...cheap, 11, 17, 18, 19]
  return {
    make: async (n) => kinds[turn[n % turn.length] ?? 0]?.(n),
    close: () => agent.destroy(),
  }
}
