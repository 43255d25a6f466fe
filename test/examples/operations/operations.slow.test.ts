import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import { missingPrograms } from '../../../examples/operations/cluster.ts'
import type { Service } from '../../../examples/operations/cluster.ts'
import { programFile } from '../../support/program.ts'
import { openBalancerLog } from './balancer-log.ts'
import type { Attempt, BalancerLog } from './balancer-log.ts'
import { call, startLoad } from './load.ts'
import type { Answer, Call, Load } from './load.ts'
import { startSetting, until } from './setting.ts'
import type { Setting } from './setting.ts'

const RELEASE = programFile('examples/operations/main.ts')
const NEXT_RELEASE = programFile('test/examples/operations/next-release.ts')

const LIMIT = 600
const names = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`)
const LOADED = names('loaded', 60)
const FRESH = names('fresh', 10)
const CLIENTS = [...LOADED, ...FRESH, 'late', 'limited', 'spender', 'buyer']

const missing = process.platform === 'win32' ? ['a shell'] : missingPrograms()

for (const engine of ['node', 'direct']) {
  // the engine has no part in what Redis and PostgreSQL keep
  const ofStores = (title: string, test: () => Promise<void>): void =>
    void it(title, { skip: engine !== 'node' }, test)
  describe(
    `instances behind nginx, on the engine ${engine}`,
    { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` },
    () => {
      let setting: Setting
      let log: BalancerLog
      let load: Load
      let cookie = ''
      let killed: Service
      let ended: Service
      let stayed: Service
      let fourth: Service
      let next: Service
      /** Calls of the test to an instance, past the balancer. */
      const direct: Attempt[] = []

      /** The ids of requests of the test itself in version 1. */
      const inFirst: string[] = []

      /** The ids of requests for which no route was found. */
      const unrouted = new Set<string>()
      /** Orders of the test itself. */
      const orders = ['of the killed one', 'of two releases'] as const
      const toOrder = (article: string, version: string): Call => ({
        method: 'POST',
        path: '/orders',
        headers: { ...keyOf('buyer'), 'x-api-version': version, 'idempotency-key': `"the key ${article}"` },
        json: { [version === '1' ? 'item' : 'article']: article, quantity: 1 },
      })

      const ask = (request: Call): Promise<Answer> => call(setting.balancer, request)
      const keyOf = (client: string): Record<string, string> => ({ 'x-api-key': `${client}-key` })
      const answeredBy = (service: Service): number =>
        log.attempts().filter(({ port, status }) => port === service.port && status < 500).length

      async function askAt(service: Service, request: Call): Promise<Answer> {
        const { port } = service
        const answer = await call(port, request)
        direct.push({
          id: answer.id,
          method: request.method ?? 'GET',
          uri: request.path,
          port,
          status: answer.status,
        })
        return answer
      }

      /** The requests that the balancer or the test sent to an instance. */
      const attemptsAt = (port: number): readonly Attempt[] =>
        [...log.attempts(), ...direct].filter((attempt) => attempt.port === port)

      /** Those that it answered. The balancer also tries instances that do not listen yet, and calls that 502. */
      const answersAt = (port: number): readonly Attempt[] =>
        attemptsAt(port).filter(({ status }) => status !== 0 && status !== 502)

      /** Waits until an instance has answered some more requests of the load. */
      async function answersMore(service: Service): Promise<void> {
        const count = answeredBy(service)
        await until(() => answeredBy(service) > count + 10, `${service.port} answers`)
      }

      before(async () => {
        setting = await startSetting(5, {
          SESSION_SECRET: 'for tests alone: not a secret at all',
          DESK_PASSWORD: 'open sesame',
          CLIENTS: CLIENTS.map((client) => `${client}=${client}-key`).join(','),
          RATE_LIMIT: `${LIMIT}`,
          FIRST_VERSION: '2',
          ENGINE: engine,
        })
        log = openBalancerLog(setting.accessLog)
        const { addInstance } = setting
        ;[killed, ended, stayed] = await Promise.all([
          addInstance(RELEASE),
          addInstance(RELEASE),
          addInstance(RELEASE),
        ])
      })
      after(async () => {
        await load?.stop()
        await setting?.stop()
      })

      it('have one session of a client', async () => {
        const json = { operator: 'ann', password: 'open sesame' }
        const { status, headers } = await ask({ method: 'POST', path: '/desk/session', json })
        assert.equal(status, 200)
        cookie = [headers['set-cookie']].flat()[0]?.split(';')[0] ?? ''
        for (const instance of [killed, ended, stayed]) {
          const { body } = await askAt(instance, { path: '/desk/session', headers: { cookie } })
          assert.deepEqual(body, { operator: 'ann' })
        }
      })

      ofStores(
        'pin a client to one version, also if it calls all of them first at the same time',
        async () => {
          for (const client of FRESH) {
            const path = '/orders'
            const answers = await Promise.all(
              [killed, ended, stayed].map((instance) => askAt(instance, { path, headers: keyOf(client) })),
            )
            assert.deepEqual(
              answers.map(({ headers }) => headers['x-api-version']),
              ['2', '2', '2'],
            )
          }
        },
      )

      ofStores(
        'count the requests of a client together, and refuse exactly those above its limit',
        async () => {
          const answers: Answer[] = []
          while (answers.length < LIMIT + 40)
            answers.push(
              ...(await Promise.all(
                Array.from({ length: 40 }, () => ask({ path: '/orders', headers: keyOf('limited') })),
              )),
            )
          const countOf = (expected: number): number =>
            answers.filter(({ status }) => status === expected).length
          assert.equal(countOf(200), LIMIT)
          assert.equal(countOf(429), 40)
          for (const instance of [killed, ended, stayed]) assert.ok(answeredBy(instance) > 0)
        },
      )

      it('go on when one is killed, and only requests under way in it fail', async () => {
        load = startLoad({ port: setting.balancer, clients: LOADED, cookie })
        await Promise.all([killed, ended, stayed].map(answersMore))
        assert.deepEqual(load.failures, [])
        // PostgreSQL stores orders of the instance when it is gone, so nobody knows of them but for their keys
        const storeOrders = await setting.holdOrders()
        const broken = askAt(killed, toOrder(orders[0], '2'))
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT%'`
        await until(async () => (await setting.query(waiting)).length > load.loops, 'all orders wait')
        await killed.stop('SIGKILL')
        await storeOrders()
        assert.equal((await broken).status, 0)
        await Promise.all([ended, stayed].map(answersMore))
        fourth = await setting.addInstance(RELEASE)
        await answersMore(fourth)
        assert.deepEqual(load.wrong.slice(0, 3), [])
        const inKilled = new Set(log.attempts().flatMap(({ id, port }) => (port === killed.port ? [id] : [])))
        assert.deepEqual(
          load.failures.filter(
            ({ id, method, status }) => method !== 'POST' || status !== 502 || !inKilled.has(id),
          ),
          [],
        )
        assert.ok(load.replayed.length > 0)
        assert.ok(!load.replayed.includes(false))
      })

      it('lose no request when one is replaced by a release with a new version', async () => {
        const failures = load.failures.length
        next = await setting.addInstance(NEXT_RELEASE)
        await answersMore(next)
        assert.equal(await ended.stop('SIGTERM'), 0)
        await Promise.all([stayed, fourth, next].map(answersMore))
        assert.deepEqual(load.failures.slice(failures), [])
        assert.deepEqual(load.wrong.slice(0, 3), [])

        // a key belongs to an order in all releases and versions
        const once = await askAt(stayed, toOrder(orders[1], '2'))
        assert.equal(once.status, 201)
        for (const [instance, version, status] of [
          [next, '2', 201],
          [next, '1', 200],
          [stayed, '1', 200],
        ] as const) {
          const again = await askAt(instance, toOrder(orders[1], version))
          if (version === '1') inFirst.push(again.id)
          assert.deepEqual(
            [again.status, Object(again.body).id],
            [status, Object(once.body).id],
            JSON.stringify(again),
          )
        }

        const [order] = load.placed
        const headers = keyOf(order?.client ?? '')
        const inThird = { path: `/orders/order_${order?.id}`, headers: { ...headers, 'x-api-version': '3' } }
        assert.equal(Object((await askAt(next, inThird)).body).article, order?.article)
        // the release before does not know the version, which is why clients hear of it when all instances have it
        const refused = await askAt(stayed, inThird)
        assert.equal(Object(refused.body).code, 'unsupported_version')
        unrouted.add(refused.id)
        // new clients are pinned to a version that all instances know
        for (const instance of [stayed, fourth, next]) {
          const answer = await askAt(instance, { path: '/orders/1', headers: keyOf('fresh0') })
          assert.equal(answer.headers['x-api-version'], '2')
        }
      })

      ofStores('wait for Redis when it restarts, and find everything in it again', async () => {
        for (let count = 0; count < 10; count++) await ask({ path: '/orders/1', headers: keyOf('spender') })
        const failures = load.failures.length
        await setting.stopRedis()
        await setTimeout(500)
        await setting.startRedis()
        await Promise.all([stayed, fourth, next].map(answersMore))
        await load.stop()
        // a Redis that starts slowly keeps requests waiting for longer than their time limit
        for (const { id, body } of load.failures.slice(failures)) {
          const code = String(Object(body).code)
          assert.match(code, /^(session|pin|idempotency)_unavailable$/)
          if (code === 'pin_unavailable') unrouted.add(id)
        }
        assert.deepEqual(load.wrong.slice(0, 3), [])
        const { headers } = await ask({ path: '/orders/1', headers: keyOf('spender') })
        assert.equal(String(headers['ratelimit']).split(';')[1], `r=${LIMIT - 11}`)
        for (const instance of [stayed, fourth, next]) {
          const answer = await askAt(instance, { path: '/desk/session', headers: { cookie } })
          assert.deepEqual(answer.body, { operator: 'ann' })
        }
      })

      it('have stored each order once, and nothing else', async () => {
        await load.stop()
        // the client of the killed instance asks again
        const asked = await askAt(stayed, toOrder(orders[0], '2'))
        assert.equal(asked.status, 201, JSON.stringify(asked))
        const rows = await setting.query('SELECT id, article, key FROM orders ORDER BY id')
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length)
        const stored = rows.map(({ id, article }) => JSON.stringify([id, article]))
        const { id } = Object(rows.find(({ article }) => article === orders[1]))
        const acknowledged = [
          ...load.placed,
          { id: Object(asked.body).id, article: orders[0] },
          { id, article: orders[1] },
        ].map((order) => JSON.stringify([order.id, order.article]))
        assert.deepEqual(stored.toSorted(), acknowledged.toSorted())
      })

      ofStores('place no order twice if Redis has lost its key', async () => {
        const known = await askAt(stayed, toOrder(orders[0], '2'))
        assert.equal(known.headers['idempotency-replayed'], 'true')
        await setting.loseKeys()
        const again = await askAt(fourth, toOrder(orders[0], '2'))
        assert.equal(again.headers['idempotency-replayed'], undefined)
        assert.deepEqual([again.status, again.body], [201, known.body])
      })

      ofStores('answer what needs no Redis while it is down', async () => {
        await setting.stopRedis()
        const known = await askAt(stayed, { path: '/orders', headers: keyOf('fresh0') })
        assert.equal(known.status, 200)
        assert.equal(known.headers['ratelimit'], undefined, 'the request is not counted')
        const order = { method: 'POST', path: '/orders', json: { article: 'cup', quantity: 1 } } as const
        const withKey = { ...keyOf('fresh0'), 'idempotency-key': 'while-redis-is-down' }
        const kept = await askAt(stayed, { ...order, headers: withKey })
        assert.equal(Object(kept.body).code, 'idempotency_unavailable')
        assert.equal((await askAt(stayed, { ...order, headers: keyOf('fresh0') })).status, 201)
        const fresh = await askAt(stayed, { path: '/orders', headers: keyOf('late') })
        assert.equal(Object(fresh.body).code, 'pin_unavailable')
        unrouted.add(fresh.id)
        const headers = { ...keyOf('late'), 'x-api-version': '2' }
        assert.equal((await askAt(stayed, { path: '/orders', headers })).status, 200)
        await setting.startRedis()
        await until(
          async () => (await askAt(stayed, { path: '/orders', headers })).headers['ratelimit'] !== undefined,
          'requests are counted',
        )
      })

      ofStores('wait for a Redis that hangs in a few requests alone', async () => {
        const resume = setting.hangRedis()
        const times: number[] = []
        const seen = new Set<unknown>()
        const end = performance.now() + 12_000
        while (performance.now() < end) {
          const started = performance.now()
          const known = await askAt(stayed, { path: '/orders', headers: keyOf('fresh0') })
          times.push(performance.now() - started)
          seen.add(known.status)
          await setTimeout(10)
        }
        assert.deepEqual([...seen], [200])
        assert.ok(times.length > 100, `${times.length}`)
        const waited = times.filter((time) => time > 900).length
        assert.ok(waited <= 8, `${waited} of ${times.length} waited`)
        const session = await askAt(stayed, { path: '/desk/session', headers: { cookie } })
        assert.equal(Object(session.body).code, 'session_unavailable')
        resume()
        await until(
          async () =>
            (await askAt(stayed, { path: '/orders', headers: keyOf('fresh0') })).headers['ratelimit'] !==
            undefined,
          'requests are counted again',
        )
        const again = await askAt(stayed, { path: '/desk/session', headers: { cookie } })
        assert.deepEqual(again.body, { operator: 'ann' })
      })

      ofStores('answer 503 while PostgreSQL is down', async () => {
        const order = { path: '/orders/1', headers: keyOf('fresh0') }
        await setting.stopPostgres()
        for (const instance of [stayed, next]) assert.equal((await askAt(instance, order)).status, 503)
        assert.equal((await askAt(stayed, { path: '/desk/session', headers: { cookie } })).status, 200)
        await setting.startPostgres()
        for (const instance of [stayed, next])
          await until(async () => (await askAt(instance, order)).status < 500, 'PostgreSQL is found again')
      })

      ofStores('answer 503 when PostgreSQL gives no answer in time', async () => {
        const release = await setting.holdOrders('ACCESS EXCLUSIVE')
        const answers = await Promise.all(
          [stayed, next].map((instance) => askAt(instance, { path: '/orders/1', headers: keyOf('fresh0') })),
        )
        for (const { status } of answers) assert.equal(status, 503)
        await release()
        const later = await askAt(stayed, { path: '/orders/1', headers: keyOf('fresh0') })
        assert.ok(later.status < 500, JSON.stringify(later))
      })

      it('have metrics that add up to the requests that they answered', async () => {
        for (const instance of [stayed, fourth, next]) {
          const expected = answersAt(instance.port).length
          const { body } = await askAt(instance, { path: '/metrics' })
          const counts = String(body).matchAll(/^http_requests_total\{.*\} (\d+)$/gm)
          assert.equal(
            [...counts].reduce((sum, [, count]) => sum + Number(count), 0),
            expected,
          )
        }
      })

      it('store all counts of usage when they end, except the last ones of the instance that was killed', async () => {
        const codes = await Promise.all([stayed, fourth, next].map((instance) => instance.stop('SIGTERM')))
        assert.deepEqual(codes, [0, 0, 0])
        const counted = (await setting.readUsage()).reduce((sum, { count }) => sum + count, 0)
        // requests above the limit are refused before their route is found
        const answered = [ended, stayed, fourth, next]
          .flatMap((instance) => answersAt(instance.port))
          .filter(({ id, status }) => status !== 429 && !unrouted.has(id)).length
        const byKilled = attemptsAt(killed.port).length
        assert.ok(counted >= answered && counted <= answered + byKilled, `${answered} ${counted} ${byKilled}`)
      })

      it('have counted which requests a change altered', async () => {
        const usage = await setting.readUsage()
        const altered = usage
          .flatMap(({ changes = [] }) => changes)
          .reduce((sum, { id, count }) => sum + (id === 'items-are-called-articles' ? count : 0), 0)
        const inKilled = new Set(attemptsAt(killed.port).map(({ id }) => id))
        const { sent, answered } = load.inFirst
        const least = answered.filter((id) => !inKilled.has(id)).length
        const most = sent.length + inFirst.length
        assert.ok(altered >= least && altered <= most, `${least} ${altered} ${most}`)
      })
    },
  )
}
