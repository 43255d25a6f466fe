import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { Client } from 'pg'

import { findPostgres, startPostgresServer } from './postgres-server.ts'
import type { Postgres } from './postgres.ts'
import { startServer } from './support.ts'

const programs = findPostgres()
const RECIPE = fileURLToPath(new URL('.recipes/webhooks-queue.js', import.meta.url))
/** Starts the program of the recipe, prints its address, and closes it when its input ends. */
const START = `
  const { app, url } = await import(${JSON.stringify(RECIPE)})
  console.log('at ' + url)
  process.stdin.on('end', () => app.close().then(() => process.exit(0))).resume()`

interface Service {
  readonly url: string
  readonly child: ChildProcess
}

describe(
  'the recipe for webhooks through a queue',
  { skip: programs === undefined ? 'there is no PostgreSQL' : false },
  () => {
    let postgres: Postgres
    let database: Client
    const running = new Set<ChildProcess>()

    before(async () => {
      postgres = await startPostgresServer(programs ?? '')
      database = new Client({ connectionString: postgres.url })
      await database.connect()
    })
    after(async () => {
      for (const child of running) child.kill('SIGKILL')
      await database.end()
      await postgres.stop()
    })

    async function start(): Promise<Service> {
      const child = spawn(process.execPath, ['--input-type=module', '-e', START], {
        env: { ...process.env, DATABASE_URL: postgres.url, ALLOW_PRIVATE: 'true' },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      running.add(child)
      child.once('exit', () => running.delete(child))
      for await (const chunk of child.stdout) {
        const [, url] = /^at (\S+)$/m.exec(String(chunk)) ?? []
        if (url !== undefined) {
          child.stdout.resume()
          return { url, child }
        }
      }
      throw new Error('The service has not started')
    }

    async function stop({ child }: Service): Promise<void> {
      const exit = once(child, 'exit')
      child.stdin?.end()
      assert.deepEqual(await exit, [0, null])
    }

    async function kill({ child }: Service): Promise<void> {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }

    const post = async (url: string, body: object): Promise<readonly [number, ReturnType<typeof Object>]> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return [response.status, await response.json()]
    }

    /** Starts a receiver, and returns the ids of the events that it got. */
    async function receive(answer: RequestListener): Promise<{ url: string; ids: string[] }> {
      const ids: string[] = []
      const server = createServer((request, response) => {
        ids.push(String(request.headers['webhook-id']))
        request.resume().once('end', () => answer(request, response))
      })
      return { url: `${await startServer(server)}/hook`, ids }
    }

    async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await isTrue())) await wait(50)
    }

    const count = async (query: string): Promise<number> => {
      const { rows } = await database.query(`select count(*)::int as count from ${query}`)
      return rows[0].count
    }

    it('sends each event to each subscriber, with one id', async () => {
      const service = await start()
      const receivers = await Promise.all(
        [1, 2, 3].map(() => receive((_request, response) => response.writeHead(204).end())),
      )
      for (const { url } of receivers)
        assert.equal((await post(`${service.url}/subscriptions`, { url }))[0], 201)
      for (const name of ['Ford', 'Opel']) assert.equal((await post(`${service.url}/cars`, { name }))[0], 201)
      await until(() => receivers.every(({ ids }) => ids.length === 2))
      assert.equal(new Set(receivers.flatMap(({ ids }) => ids)).size, 2)
      await stop(service)
      assert.deepEqual(
        receivers.map(({ ids }) => ids.length),
        [2, 2, 2],
      )
    })

    it('stores neither the data nor the event if one of them is refused', async () => {
      const service = await start()
      await database.query('alter table car add constraint named check (name <> $$Fiat$$)')
      const cars = await count('car')
      const jobs = await count('pgboss.job')
      assert.equal((await post(`${service.url}/cars`, { name: 'Fiat' }))[0], 500)
      assert.deepEqual([await count('car'), await count('pgboss.job')], [cars, jobs])
      // the queue refuses the last delivery of an event
      await database.query(`
        create function refuse() returns trigger language plpgsql as $$
        begin
          if (select count(*) from pgboss.job where data->>'id' = new.data->>'id') = 2 then raise 'full'; end if;
          return new;
        end $$;
        create trigger refuse before insert on pgboss.job for each row execute function refuse()`)
      assert.equal((await post(`${service.url}/cars`, { name: 'Audi' }))[0], 500)
      await database.query('drop trigger refuse on pgboss.job')
      assert.deepEqual([await count('car'), await count('pgboss.job')], [cars, jobs])
      await stop(service)
    })

    it('sends an event by another process if one is killed during the attempt', async () => {
      await database.query('delete from subscription')
      const [first, second] = [await start(), await start()]
      let isStuck = true
      const { url, ids } = await receive((_request, response) => {
        if (!isStuck) response.writeHead(204).end()
      })
      await post(`${first.url}/subscriptions`, { url })
      await post(`${first.url}/cars`, { name: 'Ford' })
      await until(() => ids.length === 1)
      // it is not known which of the two has taken the job, so both are killed
      await kill(first)
      await kill(second)
      isStuck = false
      assert.equal(await count("pgboss.job where name = 'webhooks' and state = 'active'"), 1)
      // the minute of the job is over
      await database.query(
        "update pgboss.job set started_on = now() - interval '61 s' where state = 'active'",
      )
      const third = await start()
      await until(() => ids.length === 2)
      assert.equal(ids[1], ids[0])
      await until(async () => (await count("pgboss.job where state in ('active', 'retry', 'created')")) === 0)
      await stop(third)
    })

    it('sends to all others while a receiver hangs', async () => {
      await database.query('delete from subscription')
      await database.query("update pgboss.job set state = 'cancelled' where state in ('created', 'retry')")
      const service = await start()
      const stuck = await receive(() => undefined)
      const quick = await receive((_request, response) => response.writeHead(204).end())
      for (const { url } of [stuck, quick]) await post(`${service.url}/subscriptions`, { url })
      const begin = performance.now()
      // more than there are places for attempts
      for (let sold = 0; sold < 120; sold++) await post(`${service.url}/cars`, { name: 'Ford' })
      await until(() => quick.ids.length === 120)
      // the first attempts at the other one have not ended
      assert.ok(performance.now() - begin < 9_000)
      assert.equal(stuck.ids.length, 5)
      await kill(service)
      await database.query('delete from pgboss.job')
    })

    it('waits for an attempt that runs when it closes', async () => {
      await database.query('delete from subscription')
      const service = await start()
      let answer = (): void => undefined
      const { url, ids } = await receive((_request, response) => {
        answer = () => response.writeHead(500).end()
      })
      await post(`${service.url}/subscriptions`, { url })
      await post(`${service.url}/cars`, { name: 'Ford' })
      await until(() => ids.length === 1)
      const stopped = stop(service)
      let isStopped = false
      void stopped.then(() => (isStopped = true))
      await until(async () => !(await isOpen(service.url)))
      assert.equal(isStopped, false)
      answer()
      await stopped
      // the next attempt is stored, and the first one is done
      const { rows } = await database.query(
        "select data->>'attempt' as attempt, state from pgboss.job where data->>'id' = $1 order by 1",
        [ids[0]],
      )
      assert.deepEqual(rows, [
        { attempt: '1', state: 'completed' },
        { attempt: '2', state: 'created' },
      ])
    })

    it('refuses a URL that is no public one, and disables a subscriber that answers 410', async () => {
      await database.query('delete from subscription')
      const service = await start()
      const [status, problem] = await post(`${service.url}/subscriptions`, {
        url: 'ftp://hooks.example.com/',
      })
      assert.deepEqual([status, problem.detail], [422, 'The scheme of the URL is not allowed'])
      const { url } = await receive((_request, response) => response.writeHead(410).end())
      await post(`${service.url}/subscriptions`, { url })
      await post(`${service.url}/cars`, { name: 'Ford' })
      await until(async () => (await count('subscription where enabled')) === 0)
      await stop(service)
    })
  },
)

async function isOpen(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
