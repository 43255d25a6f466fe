import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'

/** A request to the balancer or to one instance. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: object
}

export interface Answer {
  /** The `x-request-id` of the request, which the log of the balancer has too. */
  readonly id: string
  /** 0 if the connection broke. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

let calls = 0

/** Sends a request on a connection of its own, so that a balancer that is reloaded closes no connection that waits for a request. */
export function call(port: number, { method = 'GET', path, headers, json }: Call): Promise<Answer> {
  const id = `call-${++calls}`
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ id, status: 0, headers: {}, body: error.message })
    const sent = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      agent: false,
      headers: { ...headers, 'x-request-id': id, ...(json && { 'content-type': 'application/json' }) },
    })
    sent.once('error', fail)
    sent.once('response', async (response) => {
      try {
        const text = (await response.setEncoding('utf8').toArray()).join('')
        const body: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
        resolve({ id, status: response.statusCode ?? 0, headers: response.headers, body })
      } catch (error) {
        fail(Object(error))
      }
    })
    sent.end(json && JSON.stringify(json))
  })
}

/** An order that was acknowledged. */
export interface Placed {
  readonly id: number
  readonly client: string
  readonly article: string
  readonly orderedAt: string
  /** The idempotency key with which it was placed. */
  readonly key: string
}

/** A request that got no answer of success. A POST is sent again then. */
export interface Failure {
  readonly id: string
  readonly method: string
  readonly status: number
  readonly body: unknown
}

/** The versions that clients name, `undefined` for none: then it is that of their pin. */
const VERSIONS = ['1', '2', undefined]

/** Loops at the same time. */
const LOOPS = 8
/** Turns of a loop until it goes on with another client, so that none exceeds its limit of requests. */
const TURNS = 100
/** How often an order is sent again, every half of a second: longer than the lease of its key. */
const TRIES = 120

export interface LoadOptions {
  readonly port: number
  readonly clients: readonly string[]
  readonly cookie: string
}

/** Clients that place orders, read them and ask who is signed in, and look closely at what they get. */
export interface Load {
  readonly placed: readonly Placed[]
  readonly failures: readonly Failure[]
  /** Answers that are not what they have to be. */
  readonly wrong: readonly unknown[]
  /** The number of clients at the same time. */
  readonly loops: number
  /** Whether the result of each order that was sent again was kept. */
  readonly replayed: readonly boolean[]
  /** The ids of all requests for orders in version 1, and of those that got an answer of success. */
  readonly inFirst: { readonly sent: readonly string[]; readonly answered: readonly string[] }
  readonly stop: () => Promise<void>
}

/** Starts the clients. */
export function startLoad({ port, clients, cookie }: LoadOptions): Load {
  const placed: Placed[] = []
  const failures: Failure[] = []
  const wrong: unknown[] = []
  const replayed: boolean[] = []
  const inFirst = { sent: new Array<string>(), answered: new Array<string>() }
  let turns = 0
  const over = new AbortController()

  const check = (answer: Answer, expected: object): void => {
    const { id, status, body, headers } = answer
    const version = headers['x-api-version']
    if (version === '1') inFirst.answered.push(id)
    const got = { status, body, version }
    if (JSON.stringify(got) !== JSON.stringify(expected)) wrong.push({ got, expected })
  }
  const headersOf = (client: string, version: string | undefined): Record<string, string> => ({
    'x-api-key': `${client}-key`,
    ...(version !== undefined && { 'x-api-version': version }),
  })
  const toBody = (order: Placed, version: string): object => ({
    id: order.id,
    [version === '1' ? 'item' : 'article']: order.article,
    quantity: 2,
    orderedAt: order.orderedAt,
  })

  /** Places an order, and sends it again with its key until it is answered. */
  async function send(
    { client, article, key }: Pick<Placed, 'client' | 'article' | 'key'>,
    named: string | undefined,
  ): Promise<Answer> {
    const json = { [named === '1' ? 'item' : 'article']: article, quantity: 2 }
    const headers = { ...headersOf(client, named), 'idempotency-key': key }
    for (let tries = 0; ; tries++) {
      const answer = await call(port, { method: 'POST', path: '/orders', headers, json })
      const { id, status, body } = answer
      if (named === '1') inFirst.sent.push(id)
      // the first try may be under way, or its instance was killed, or Redis before it had the result: then its lease has to end
      const isWaiting = Object(body).code === 'idempotency_key_in_use'
      const isUnanswered = status === 0 || status >= 500
      if (!(isWaiting || isUnanswered) || tries === TRIES) return answer
      if (!isWaiting) failures.push({ id, method: 'POST', status, body })
      await setTimeout(500)
    }
  }

  async function place(client: string, named: string | undefined): Promise<Placed> {
    const version = named ?? '2'
    const sent = { client, article: `article-${++turns}`, key: `key-${turns}` }
    const answer = await send(sent, named)
    const { id, orderedAt } = Object(answer.body)
    const order = { ...sent, id, orderedAt }
    placed.push(order)
    check(answer, { status: version === '1' ? 200 : 201, body: toBody(order, version), version })
    return order
  }

  /** Sends an order again that was answered. */
  async function placeAgain(order: Placed, named: string | undefined): Promise<void> {
    const version = named ?? '2'
    const answer = await send(order, named)
    check(answer, { status: version === '1' ? 200 : 201, body: toBody(order, version), version })
    replayed.push(answer.headers['idempotency-replayed'] === 'true')
  }

  async function read(order: Placed, named: string | undefined): Promise<void> {
    const version = named ?? '2'
    const answer = await call(port, {
      path: `/orders/${order.id}`,
      headers: headersOf(order.client, named),
    })
    const { id, status, body } = answer
    if (named === '1') inFirst.sent.push(id)
    if (status !== 200 && (status === 0 || status >= 500))
      return void failures.push({ id, method: 'GET', status, body })
    check(answer, { status: 200, body: toBody(order, version), version })
  }

  async function whoAmI(client: string): Promise<void> {
    const headers = { ...headersOf(client, undefined), cookie }
    const answer = await call(port, { path: '/desk/session', headers })
    const { id, status, body } = answer
    if (status === 0 || status >= 500) return void failures.push({ id, method: 'GET', status, body })
    check(answer, { status: 200, body: { operator: 'ann' } })
  }

  async function loop(first: number): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const client = clients[(first + LOOPS * Math.floor(turn / TURNS)) % clients.length] ?? ''
      const version = VERSIONS[turn % VERSIONS.length]
      const other = VERSIONS[(turn + 1) % VERSIONS.length]
      const own = await place(client, version)
      if (turn % 4 === 0) await placeAgain(own, other)
      const order = placed.at(-1 - (turn % 10))
      if (order !== undefined) await read(order, other)
      await whoAmI(client)
      await setTimeout(50)
    }
  }

  const loops = Array.from({ length: LOOPS }, (_, first) => loop(first))
  return {
    placed,
    failures,
    wrong,
    replayed,
    inFirst,
    loops: LOOPS,
    stop: async () => {
      over.abort()
      await Promise.all(loops)
    },
  }
}
