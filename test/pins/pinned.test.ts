import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'

import { createMemoryStore } from 'octavo/stores'
import { DefinitionError, forbidden } from 'octavo'
import type { VersioningOptions } from 'octavo'
import { pinned } from 'octavo/pins'
import type { PinOptions } from 'octavo/pins'

import { createStore, serve } from './support.ts'
import type { TestStore } from './support.ts'

type Given = Partial<Omit<PinOptions, 'store'>> & Partial<Pick<TestStore, 'get' | 'set'>>

describe('the version of a client', () => {
  const cases: readonly (readonly [
    title: string,
    given: Given,
    client: string | undefined,
    url: string,
    expected: readonly [status: number, answer: string],
    calls: readonly string[],
  ])[] = [
    ['a client that has a pin gets it', {}, 'old', '/car', [200, '1'], ['get old']],
    [
      'a new client is pinned to the newest version without a status',
      {},
      'new',
      '/car',
      [200, '2'],
      ['get new', 'firstUse new 2'],
    ],
    [
      'a new client is pinned to the newest version with latest',
      { onFirstUse: 'latest' },
      'new',
      '/car/next',
      [200, '3-beta'],
      ['get new', 'firstUse new 3-beta'],
    ],
    [
      'a new client is pinned to the oldest version with oldest',
      { onFirstUse: 'oldest' },
      'new',
      '/car',
      [200, '1'],
      ['get new', 'firstUse new 1'],
    ],
    [
      'a new client is pinned to the version of the option, in the spelling of the routes',
      { onFirstUse: '01' },
      'new',
      '/car',
      [200, '1'],
      ['get new', 'firstUse new 1'],
    ],
    [
      'a new client is pinned to the version that a function chooses',
      { onFirstUse: async (client) => (client === 'new' ? 'oldest' : '2') },
      'new',
      '/car',
      [200, '1'],
      ['get new', 'firstUse new 1'],
    ],
    [
      'a function on first use can refuse a client',
      {
        onFirstUse: () => {
          throw forbidden()
        },
      },
      'new',
      '/car',
      [403, 'forbidden'],
      ['get new'],
    ],
    [
      'a function on first use that chooses no known version is a 500, and nothing is stored',
      { onFirstUse: () => '9' },
      'new',
      '/car',
      [500, 'internal_error'],
      ['get new'],
    ],
    [
      'a version in the request wins, and the store is not asked',
      {},
      'old',
      '/car?version=2',
      [200, '2'],
      [],
    ],
    ['a version in the request pins no client', {}, 'new', '/car?version=1', [200, '1'], []],
    ['without a client, there is no version', {}, undefined, '/car', [400, 'unspecified_version'], []],
    ['an empty id is no client', {}, '', '/car', [400, 'unspecified_version'], []],
    [
      'without a client, a version of otherwise answers',
      { otherwise: '1' },
      undefined,
      '/car',
      [200, '1'],
      [],
    ],
    ['otherwise takes a selector', { otherwise: 'latestStable' }, undefined, '/car', [200, '2'], []],
    ['otherwise takes a function', { otherwise: async () => '1' }, undefined, '/car', [200, '1'], []],
    [
      'a function of otherwise may give null',
      { otherwise: () => null },
      undefined,
      '/car',
      [400, 'unspecified_version'],
      [],
    ],
    ['the id may come later', { client: async () => 'old' }, undefined, '/car', [200, '1'], ['get old']],
    ['no client later', { client: async () => undefined }, 'old', '/car', [400, 'unspecified_version'], []],
    [
      'the pin has the path, and other versions do not count',
      {},
      'old',
      '/car/next',
      [404, 'unsupported_version'],
      ['get old'],
    ],
    ['a pin in another spelling is that version', {}, 'spelt', '/car', [200, '1'], ['get spelt']],
    ['a pin may be a selector, and follows it', {}, 'follower', '/car', [200, '2'], ['get follower']],
    [
      'a pin to a version that is not known any more is a 410',
      {},
      'lost',
      '/car',
      [410, 'retired_version'],
      ['get lost'],
    ],
  ]
  for (const [title, given, client, url, expected, calls] of cases) {
    it(title, async () => {
      const store = createStore({ old: '1', spelt: '01', follower: 'latestStable', lost: '0' })
      const { ask } = serve({ ...store, ...given })
      assert.deepEqual(await ask(client, url), expected)
      assert.deepEqual(store.calls, calls)
    })
  }

  it('is that of the client which the application names', async () => {
    const store = createStore({ old: '1' })
    const named: unknown[] = []
    const { ask } = serve(
      { ...store, client: undefined },
      {},
      {
        client: (request) => {
          named.push(request.url)
          return request.header('x-account')
        },
      },
    )
    assert.deepEqual(
      [await ask('old'), await ask('new'), await ask()],
      [
        [200, '1'],
        [200, '2'],
        [400, 'unspecified_version'],
      ],
    )
    assert.deepEqual(named, ['/car', '/car', '/car'])
  })

  it('is kept when a newer version is released', async () => {
    const store = createStore()
    const before = serve({ ...store, onFirstUse: '1' })
    assert.deepEqual(await before.ask('acme'), [200, '1'])
    const after = serve({ ...store, onFirstUse: 'latestStable' })
    assert.deepEqual(await after.ask('acme'), [200, '1'])
    assert.deepEqual(await after.ask('late'), [200, '2'])
  })

  it('a 410 lists the versions that are served, and not the long text of the store', async () => {
    const { respond } = serve(createStore({ lost: `0${'x'.repeat(100)}` }), {
      versions: { '1': { sunset: '2020-01-01', retired: 'gone' } },
    })
    const { headers, json } = await respond('lost')
    const { requested, supported } = Object(json())
    assert.deepEqual([requested.length, supported], [64, ['2', '3-beta']])
    assert.equal(headers['cache-control'], 'no-store')
  })
})

describe('a pin to a version that has ended', () => {
  const cases: readonly (readonly [
    title: string,
    versions: NonNullable<VersioningOptions['versions']>,
    expected: readonly [status: number, answer: string],
  ])[] = [
    [
      'is a 410 after the sunset',
      { '1': { sunset: '2020-01-01', retired: 'gone' } },
      [410, 'retired_version'],
    ],
    [
      'is answered by the next version if it forwards',
      { '1': { sunset: '2020-01-01', retired: 'forward' } },
      [200, '2'],
    ],
    ['is answered while it is only deprecated', { '1': { deprecated: '2020-01-01' } }, [200, '1']],
    [
      'is a 410 if no route has it any more',
      [{ version: '0', sunset: '2020-01-01', retired: 'gone' }, '1', '2', '3-beta'],
      [410, 'retired_version'],
    ],
    [
      'is an error if another deployment serves it',
      [{ version: '0', elsewhere: true }, '1', '2', '3-beta'],
      [404, 'unsupported_version'],
    ],
  ]
  for (const [title, versions, expected] of cases) {
    it(title, async () => {
      const pin = Array.isArray(versions) ? '0' : '1'
      const { ask } = serve(createStore({ acme: pin }), { versions })
      assert.deepEqual(await ask('acme'), expected)
    })
  }
})

describe('the store', () => {
  it('is asked once for requests of a client at the same time, and pins it once', async () => {
    const store = createStore()
    const { ask } = serve(store)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('acme')))
    assert.deepEqual(new Set(answers.map(String)), new Set(['200,2']))
    assert.deepEqual(store.calls, ['get acme', 'firstUse acme 2'])
  })

  it('is not asked again while a pin is remembered, and then once', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    try {
      const store = createStore({ acme: '1' })
      const { ask } = serve({ ...store, ttl: 1000 })
      assert.deepEqual(await ask('acme'), [200, '1'])
      mock.timers.tick(999)
      assert.deepEqual(await ask('acme'), [200, '1'])
      assert.deepEqual(store.calls, ['get acme'])
      store.kept.set('acme', '2')
      mock.timers.tick(1)
      assert.deepEqual(await Promise.all([ask('acme'), ask('acme')]), [
        [200, '2'],
        [200, '2'],
      ])
      assert.deepEqual(store.calls, ['get acme', 'get acme'])
    } finally {
      mock.timers.reset()
    }
  })

  it('answers a request that is remembered in the same turn', () => {
    const choice = { find: (name: string) => name, supported: () => [] }
    const context = { client: undefined, log: { info: () => undefined, error: () => undefined } }
    const pins = pinned({ client: () => 'acme', store: { ...createMemoryStore(), get: () => '1' } })
    const choose = () => pins(Object.create(null), choice, context)
    const first = choose()
    assert.ok(first instanceof Promise)
    return first.then((version) => assert.deepEqual([version, choose()], ['1', '1']))
  })

  it('is asked again for clients that were pushed out, and not for those that call often', async () => {
    const store = createStore()
    const { ask } = serve({ ...store, maxClients: 4 })
    for (let index = 0; index < 40; index++) {
      await ask(`rare${index}`)
      await ask('often')
    }
    assert.deepEqual(
      store.calls.filter((call) => call === 'get often'),
      ['get often'],
    )
    await ask('rare0')
    assert.equal(store.calls.filter((call) => call === 'get rare0').length, 2)
  })

  it('is asked with each request for ids that are too long to be remembered', async () => {
    const store = createStore()
    const { ask } = serve(store)
    const id = 'x'.repeat(257)
    assert.deepEqual(
      [await ask(id), await ask(id)],
      [
        [200, '2'],
        [200, '2'],
      ],
    )
    assert.deepEqual(store.calls, [`get ${id}`, `firstUse ${id} 2`, `get ${id}`])
  })

  it('decides which of four processes pins a client, and all answer in that version', async () => {
    const store = createStore()
    // two of them are a release ahead
    const workers = ['1', '1', '2', '2'].map((onFirstUse) => serve({ ...store, onFirstUse }))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => workers[index % 4]?.ask('acme') ?? assert.fail()),
    )
    const kept = store.kept.get('acme')
    assert.deepEqual(new Set(answers.map(String)), new Set([`200,${kept}`]))
    const count = (name: string) => store.calls.filter((call) => call.startsWith(name)).length
    // those that were later read which version was first
    assert.deepEqual([count('get'), count('firstUse')], [7, 4])
  })

  it('can be the memory of the process', async () => {
    const store = createMemoryStore()
    const get = async (client: string) => store.get(`pin:${client}`)
    const set = async (client: string, version: string) => store.set(`pin:${client}`, version)
    assert.deepEqual(await serve({ get, set, onFirstUse: '1' }).ask('acme'), [200, '1'])
    assert.deepEqual(await serve({ get, set, onFirstUse: '2' }).ask('acme'), [200, '1'])
  })
})

describe('a store that fails', () => {
  const never = () => new Promise<never>(() => undefined)
  const reject = () => Promise.reject(new Error('connection refused at 10.0.0.1'))
  const failures: readonly (readonly [title: string, given: Given])[] = [
    ['get rejects', { get: reject }],
    [
      'get throws',
      {
        get: () => {
          throw new Error('connection refused at 10.0.0.1')
        },
      },
    ],
    ['get never answers', { get: never, storeTimeout: 20 }],
    ['get gives a number', { get: () => 1 as unknown as string }],
    ['set rejects', { set: reject }],
    ['set never answers', { set: never, storeTimeout: 100 }],
    ['set returns nothing', { set: () => undefined as unknown as boolean }],
  ]
  for (const [title, given] of failures) {
    it(`is a 503 if ${title}, logged once`, async () => {
      const { respond, ask, lines } = serve({ ...createStore(), ...given })
      const { statusCode, body, headers } = await respond('acme')
      assert.deepEqual([statusCode, JSON.parse(body).code], [503, 'pin_unavailable'])
      assert.equal(headers['vary'], 'x-account')
      assert.doesNotMatch(body, /10\.0\.0\.1/)
      assert.deepEqual(await ask('acme'), [503, 'pin_unavailable'])
      assert.deepEqual(
        lines.filter(([, message]) => message?.includes('pins')),
        [['error', 'The store of pins fails']],
      )
    })
    it(`is answered otherwise if ${title} and that is wanted`, async () => {
      const { ask } = serve({ ...createStore(), ...given, otherwise: '1', onStoreError: 'otherwise' })
      assert.deepEqual(
        [await ask('acme'), await ask('acme')],
        [
          [200, '1'],
          [200, '1'],
        ],
      )
    })
  }

  it('is logged when it works again, and then the client is pinned', async () => {
    const store = createStore()
    let isDown = true
    const { ask, lines } = serve({ ...store, get: (client) => (isDown ? reject() : store.get(client)) })
    assert.deepEqual(await ask('acme'), [503, 'pin_unavailable'])
    isDown = false
    assert.deepEqual(await ask('acme'), [200, '2'])
    assert.deepEqual(
      lines.filter(([, message]) => message?.includes('pins')),
      [
        ['error', 'The store of pins fails'],
        ['info', 'The store of pins works again'],
      ],
    )
    assert.deepEqual([...store.kept], [['acme', '2']])
  })

  it('leaves clients in their version that are remembered, and is asked again after a second', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    try {
      const store = createStore({ acme: '1' })
      let isDown = false
      let calls = 0
      const get: TestStore['get'] = (client) => {
        calls++
        return isDown ? reject() : store.get(client)
      }
      const { ask } = serve({ ...store, get, ttl: 5000 })
      assert.deepEqual(await ask('acme'), [200, '1'])
      isDown = true
      mock.timers.tick(5000)
      // a read that fails is tried once more
      assert.deepEqual([await ask('acme'), await ask('acme'), calls], [[200, '1'], [200, '1'], 3])
      mock.timers.tick(1000)
      assert.deepEqual([await ask('acme'), calls], [[200, '1'], 5])
    } finally {
      mock.timers.reset()
    }
  })

  it('does not hide the error of a function on first use', async () => {
    const { ask, lines } = serve({
      ...createStore(),
      otherwise: '1',
      onStoreError: 'otherwise',
      onFirstUse: () => Promise.reject(new TypeError('a mistake')),
    })
    assert.deepEqual(await ask('acme'), [500, 'internal_error'])
    assert.equal(
      lines.some(([, message]) => message?.includes('pins')),
      false,
    )
  })
})

describe('an upgrade', () => {
  it('counts at once in this process, and in others when they ask again', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    try {
      const store = createStore({ acme: '1' })
      const [here, there] = [serve(store), serve(store)]
      assert.deepEqual(
        [await here.ask('acme'), await there.ask('acme')],
        [
          [200, '1'],
          [200, '1'],
        ],
      )
      await here.pins.upgrade('acme', '2')
      assert.deepEqual(
        [await here.ask('acme'), await there.ask('acme')],
        [
          [200, '2'],
          [200, '1'],
        ],
      )
      mock.timers.tick(60_000)
      assert.deepEqual(await there.ask('acme'), [200, '2'])
      assert.deepEqual(store.calls, ['get acme', 'get acme', 'upgrade acme 2', 'get acme'])
    } finally {
      mock.timers.reset()
    }
  })

  it('wins over a look-up that began before', async () => {
    const store = createStore({ acme: '1' })
    const held: (() => void)[] = []
    const get: TestStore['get'] = async (client) => {
      const version = await store.get(client)
      await new Promise<void>((resolve) => void held.push(resolve))
      return version
    }
    const { ask, pins } = serve({ ...store, get })
    const early = ask('acme')
    while (held.length === 0) await new Promise((resolve) => void setImmediate(resolve))
    await pins.upgrade('acme', '2')
    held[0]?.()
    assert.deepEqual(
      [await early, await ask('acme')],
      [
        [200, '2'],
        [200, '2'],
      ],
    )
    assert.deepEqual(store.calls, ['get acme', 'upgrade acme 2'])
  })

  it('rejects if the store fails, and changes nothing', async () => {
    const store = createStore({ acme: '1' })
    const cause = new Error('connection refused')
    const { ask, pins } = serve({ ...store, set: () => Promise.reject(cause) })
    await ask('acme')
    await assert.rejects(
      pins.upgrade('acme', '2'),
      (error) => error instanceof Error && error.cause === cause,
    )
    assert.deepEqual(await ask('acme'), [200, '1'])
  })
})

describe('pins: headers for caches', () => {
  it('a response by a pin varies by the header of the client, and one by the request does not', async () => {
    const { respond } = serve(createStore({ acme: '1' }))
    const [pin, own] = [await respond('acme'), await respond('acme', '/car?version=2')]
    assert.deepEqual([pin.headers['vary'], own.headers['vary']], ['x-account', undefined])
  })

  it('lists of versions know no pins', async () => {
    const { app } = serve({ ...createStore(), otherwise: '1' })
    await app.ready()
    assert.deepEqual(
      app.versions().map(({ version, isDefault }) => [version, isDefault]),
      [
        ['1', false],
        ['2', false],
        ['3-beta', false],
      ],
    )
  })
})

describe('mistakes', () => {
  const store = createStore()
  const needed = { client: () => 'acme', store: createMemoryStore() }
  const cases: readonly (readonly [title: string, options: unknown, messages: readonly string[]])[] = [
    ['no options', undefined, ['the options are undefined']],
    ['nothing in them', {}, ['store is missing']],
    ['half a store', { store: { get: () => '1' } }, ['store is an object with get']],
    ['a misspelt option', { ...needed, onFirstuse: '1' }, ['there is no option "onFirstuse"']],
    ['a number as version', { ...needed, onFirstUse: 2 }, ['onFirstUse is 2']],
    ['no such behaviour', { ...needed, onStoreError: 'allow' }, ['onStoreError is "allow"']],
    ['no time', { ...needed, ttl: 0 }, ['ttl is 0']],
    ['no clients', { ...needed, maxClients: 0 }, ['maxClients is 0']],
  ]
  for (const [title, options, messages] of cases) {
    it(`${title}: a definition error`, () => {
      assert.throws(
        () => pinned(options as PinOptions),
        (error) => {
          assert.ok(error instanceof DefinitionError)
          assert.deepEqual(
            error.errors.map(({ message }) => message),
            messages,
          )
          return error.errors.every(
            ({ where, code }) => where.startsWith('pinned (') && code.endsWith('_option'),
          )
        },
      )
    })
  }
  for (const given of [{ onFirstUse: '9' }, { otherwise: '9' }] as const) {
    it(`an unknown version in ${Object.keys(given)[0]} is found when the application is built`, async () => {
      const { app } = serve({ ...store, ...given })
      await assert.rejects(
        app.ready(),
        (error) =>
          error instanceof DefinitionError &&
          error.errors.map(({ code }) => code).join() === 'default_version_unknown' &&
          error.message.includes('"9"'),
      )
    })
  }
})
