/** The part of the connections, and of the queue, that one client can have: others are answered whatever it does. */
const SHARE = 0.75

/** Requests that may wait for each connection. */
const WAITING = 8

/** A request that needs a connection. */
export interface WaitingRequest {
  /** The key of its client, `undefined` for a request of the application's own, which has no share. */
  readonly client: string | undefined
  /** Called when it has a connection. */
  readonly start: () => void
}

/** The requests that have the connections to an API, and the requests that wait for one. A class because it lives as long as its pool. */
export class ConnectionQueue {
  readonly #connections: number
  readonly #running = new Set<WaitingRequest>()
  /** In order of arrival. */
  readonly #waiting = new Set<WaitingRequest>()
  #isAdmitting = false

  constructor(connections: number) {
    this.#connections = connections
  }

  /** Takes a connection. Returns `false` if the request has to wait for one. */
  enter(request: WaitingRequest): boolean {
    if (!hasRoom(this.#running, this.#connections, request)) return false
    this.#running.add(request)
    return true
  }

  /** Has the request started once there is a connection. Returns `false` if too many wait. */
  wait(request: WaitingRequest): boolean {
    if (!hasRoom(this.#waiting, this.#connections * WAITING, request)) return false
    this.#waiting.add(request)
    return true
  }

  /** Forgets a request, which is done or no longer waits. */
  leave(request: WaitingRequest): void {
    if (this.#running.delete(request)) {
      if (this.#waiting.size > 0) this.#admit()
    } else this.#waiting.delete(request)
  }

  #admit(): void {
    // one that fails at once leaves at once
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    try {
      for (let request = this.#next(); request !== undefined; request = this.#next()) {
        this.#waiting.delete(request)
        this.#running.add(request)
        request.start()
      }
    } finally {
      this.#isAdmitting = false
    }
  }

  /** The first of those whose clients have not had their share, if there is a connection. */
  #next(): WaitingRequest | undefined {
    if (this.#waiting.size === 0 || this.#running.size >= this.#connections) return undefined
    const counts = countWaitingClients(this.#running)
    const share = toShare(this.#connections)
    for (const request of this.#waiting) {
      const { client } = request
      if (client === undefined || (counts.get(client) ?? 0) < share) return request
    }
    return undefined
  }
}

function toShare(most: number): number {
  return Math.max(1, Math.floor(most * SHARE))
}

function hasRoom(requests: ReadonlySet<WaitingRequest>, most: number, request: WaitingRequest): boolean {
  const { size } = requests
  const share = toShare(most)
  // clients are only asked for and counted if one could have its share
  if (size < share || size >= most) return size < most
  const { client } = request
  return client === undefined || (countWaitingClients(requests).get(client) ?? 0) < share
}

function countWaitingClients(requests: ReadonlySet<WaitingRequest>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { client } of requests)
    if (client !== undefined) counts.set(client, (counts.get(client) ?? 0) + 1)
  return counts
}
