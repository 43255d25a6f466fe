import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { App } from 'octavo'

import { APPS } from './parity/apps.ts'
import { CASES } from './parity/cases.ts'
import type { Case } from './parity/cases.ts'
import { ADAPTERS, inject } from './parity/adapters.ts'
import type { Adapter, Seen, Sent } from './parity/adapters.ts'

type Name = keyof typeof APPS
type Opened = Awaited<ReturnType<Adapter['open']>>

const NAMES = Object.keys(APPS) as Name[]
const apps = forEachApp((name) => APPS[name]())

function forEachApp<T>(make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)] as const)) as Record<Name, T>
}

function toSent({ method = 'GET', path, headers = {}, body }: Case): Sent {
  return { method, path, headers, body }
}

function canSend({ lacks }: Adapter, { needs = [] }: Case): boolean {
  return !needs.some((skill) => lacks.includes(skill))
}

/** The id of a request differs in each of them. */
function withoutId({ status, headers, body }: Seen) {
  const text = body.toString('latin1').replace(/"requestId":"[\w-]+"/, '"requestId":"…"')
  return { status, headers, body: text }
}

function appOf({ app = 'plain' }: Case): App {
  return apps[app]
}

/** What `inject` answers to each request, http and https. */
const expected = forEachCase((entry) => {
  const one = (protocol: 'http' | 'https') => inject(appOf(entry), toSent(entry), protocol).then(withoutId)
  const [http, https] = [lazily(() => one('http')), lazily(() => one('https'))]
  return { http, https }
})

function forEachCase<T>(make: (entry: Case) => T): ReadonlyMap<Case, T> {
  return new Map(CASES.map((entry) => [entry, make(entry)]))
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

after(() => Promise.all(NAMES.map((name) => apps[name].close())))

for (const entry of CASES) {
  it(`inject answers ${entry.status} to ${entry.title}`, async () => {
    const answer = await expected.get(entry)?.http()
    assert.equal(answer?.status, entry.status)
  })
}

for (const adapter of ADAPTERS) {
  describe(`${adapter.name} answers as inject does`, () => {
    let opened: Record<Name, Opened>
    before(async () => {
      const all = await Promise.all(NAMES.map((name) => adapter.open(apps[name])))
      opened = Object.fromEntries(NAMES.map((name, at) => [name, all[at]])) as Record<Name, Opened>
    })
    after(() => Promise.all(NAMES.map((name) => opened[name].close())))

    for (const entry of CASES.filter((each) => canSend(adapter, each))) {
      it(entry.title, async () => {
        const seen = await opened[entry.app ?? 'plain'].send(toSent(entry))
        assert.deepEqual(withoutId(seen), await expected.get(entry)?.[adapter.protocol ?? 'http']())
      })
    }
  })
}
