import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { APPS } from './parity/apps.ts'
import { CASES } from './parity/cases.ts'
import type { Case } from './parity/cases.ts'
import { ADAPTERS, inject } from './parity/adapters.ts'
import type { Adapter, Seen, Sent } from './parity/adapters.ts'

type Name = keyof typeof APPS

const NAMES = Object.keys(APPS) as Name[]

function forEachApp<T>(make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)] as const)) as Record<Name, T>
}

const apps = forEachApp((name) => APPS[name]())

function toSent({ method = 'GET', path, headers = {}, body }: Case): Sent {
  return { method, path, headers, body }
}

function canSend({ lacks }: Adapter, { needs = [] }: Case): boolean {
  return !needs.some((skill) => lacks.includes(skill))
}

/** An answer with the title of its request. The id of a request differs in each of them. */
function toComparable({ title }: Case, { status, headers, body }: Seen) {
  const text = body.toString('latin1').replace(/"requestId":"[\w-]+"/, '"requestId":"…"')
  return { title, status, headers, body: text }
}

type Comparable = ReturnType<typeof toComparable>

/** What `inject` answers to each request. */
async function answersOf(protocol: 'http' | 'https'): Promise<ReadonlyMap<Case, Comparable>> {
  const expected = new Map<Case, Comparable>()
  for (const entry of CASES) {
    const seen = await inject(apps[entry.app ?? 'plain'], toSent(entry), protocol)
    expected.set(entry, toComparable(entry, seen))
  }
  return expected
}

describe('every adapter', () => {
  let expected: Record<'http' | 'https', ReadonlyMap<Case, Comparable>>
  before(async () => {
    expected = { http: await answersOf('http'), https: await answersOf('https') }
  })
  after(() => Promise.all(NAMES.map((name) => apps[name].close())))

  it('has an inject to compare with, which answers what each request is there for', () => {
    assert.deepEqual(
      CASES.map((entry) => [entry.title, expected.http.get(entry)?.status]),
      CASES.map(({ title, status }) => [title, status]),
    )
  })

  // one test for all requests, because two thousand tests take longer than their requests
  for (const adapter of ADAPTERS) {
    it(`answers as inject does: ${adapter.name}`, async () => {
      const all = await Promise.all(NAMES.map((name) => adapter.open(apps[name])))
      const sendTo = Object.fromEntries(NAMES.map((name, at) => [name, all[at]?.send]))
      const wanted = expected[adapter.protocol ?? 'http']
      for (const entry of CASES.filter((each) => canSend(adapter, each))) {
        const seen = await sendTo[entry.app ?? 'plain']?.(toSent(entry))
        assert.deepEqual(seen && toComparable(entry, seen), wanted.get(entry))
      }
      await Promise.all(all.map((opened) => opened.close()))
    })
  }
})
