import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { createWebhooks, createWebhookSecret, WebhookTargetError } from 'octavo/webhooks'
import type { Lookup, TargetOptions, WebhookAttempt } from 'octavo/webhooks'

import { startReceiver } from './support.ts'

/** What is behind the wall: it must get nothing. */
const receiver = await startReceiver()
const { port } = new URL(receiver.url)
after(receiver.stop)

/** Makes one attempt to send to a URL. */
async function attempt(url: string, options: TargetOptions): Promise<WebhookAttempt> {
  const subscription = { id: 's1', url, secrets: createWebhookSecret() }
  const webhooks = createWebhooks({
    subscriptions: { of: () => [subscription], find: () => subscription, disable: () => undefined },
    // no further attempts
    outbox: { add: () => undefined },
    timeout: 5000,
    ...options,
  })
  try {
    return await webhooks.deliver({ id: 'msg_1', event: 'car', subscription: 's1', body: '{}', attempt: 1 })
  } finally {
    await webhooks.close()
  }
}

/** Resolves every name to these addresses, one list for each time. */
function resolving(...answers: readonly (readonly string[])[]): Lookup {
  let count = 0
  return (_name, _options, callback) => {
    const addresses = answers[Math.min(count, answers.length - 1)] ?? []
    count += 1
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

const PUBLIC = '93.184.215.14'

type Case = readonly [title: string, url: string, problem: string, options?: TargetOptions]

const IN_URL: readonly Case[] = [
  ['loopback', `http://127.0.0.1:${port}/`, 'address'],
  ['loopback in two parts', `http://127.1:${port}/`, 'address'],
  ['loopback as a number', `http://2130706433:${port}/`, 'address'],
  ['loopback in hexadecimals', `http://0x7f000001:${port}/`, 'address'],
  ['loopback in octals', `http://017700000001:${port}/`, 'address'],
  ['loopback with a hexadecimal part', `http://0x7f.0.0.1:${port}/`, 'address'],
  ['loopback with an octal part', `http://0177.0.0.1:${port}/`, 'address'],
  ['loopback with a full stop behind it', `http://127.0.0.1.:${port}/`, 'address'],
  ['loopback in circled digits', `http://①②⑦.⓪.⓪.①:${port}/`, 'address'],
  ['loopback in escapes', `http://%31%32%37.0.0.1:${port}/`, 'address'],
  ['the end of loopback', 'http://127.255.255.254/', 'address'],
  ['this host', `http://0.0.0.0:${port}/`, 'address'],
  ['this host as a digit', `http://0:${port}/`, 'address'],
  ['a private address of class A', 'http://10.0.0.1/', 'address'],
  ['the first private address of class B', 'http://172.16.0.0/', 'address'],
  ['the last private address of class B', 'http://172.31.255.255/', 'address'],
  ['a private address of class C', 'http://192.168.1.1/', 'address'],
  ['the metadata of clouds', 'http://169.254.169.254/latest/meta-data/', 'address'],
  ['the metadata of clouds as a number', 'http://2852039166/', 'address'],
  ['a link-local address', 'http://169.254.0.1/', 'address'],
  ['the network of a provider (CGNAT)', 'http://100.64.0.1/', 'address'],
  ['the metadata of a cloud in that network', 'http://100.100.100.200/', 'address'],
  ['the metadata of a cloud among protocol assignments', 'http://192.0.0.192/', 'address'],
  ['the wire server of Azure', 'http://168.63.129.16/machine?comp=goalstate', 'address'],
  ['the wire server of Azure behind NAT64', 'http://[64:ff9b::a83f:8110]/', 'address'],
  ['an address for documentation', 'http://192.0.2.1/', 'address'],
  ['another one', 'http://198.51.100.1/', 'address'],
  ['a third one', 'http://203.0.113.1/', 'address'],
  ['an address for benchmarks', 'http://198.19.255.255/', 'address'],
  ['the relays of 6to4', 'http://192.88.99.1/', 'address'],
  ['multicast', 'http://224.0.0.1/', 'address'],
  ['a reserved address', 'http://240.0.0.1/', 'address'],
  ['broadcast', 'http://255.255.255.255/', 'address'],
  ['loopback of IPv6', `http://[::1]:${port}/`, 'address'],
  ['loopback of IPv6 in full', `http://[0:0:0:0:0:0:0:1]:${port}/`, 'address'],
  ['this host in IPv6', `http://[::]:${port}/`, 'address'],
  ['mapped loopback', `http://[::ffff:127.0.0.1]:${port}/`, 'address'],
  ['mapped loopback in hexadecimals', `http://[::ffff:7f00:1]:${port}/`, 'address'],
  ['mapped metadata', 'http://[::ffff:a9fe:a9fe]/', 'address'],
  ['compatible loopback', `http://[::127.0.0.1]:${port}/`, 'address'],
  ['translated loopback', `http://[::ffff:0:127.0.0.1]:${port}/`, 'address'],
  ['loopback behind NAT64', 'http://[64:ff9b::127.0.0.1]/', 'address'],
  ['metadata behind NAT64', 'http://[64:ff9b::a9fe:a9fe]/', 'address'],
  ['NAT64 of a private network', 'http://[64:ff9b:1::1]/', 'address'],
  ['loopback in 6to4', 'http://[2002:7f00:1::]/', 'address'],
  ['Teredo', 'http://[2001::1]/', 'address'],
  ['IPv6 for documentation', 'http://[2001:db8::1]/', 'address'],
  ['more IPv6 for documentation', 'http://[3fff::1]/', 'address'],
  ['link-local IPv6', 'http://[fe80::1]/', 'address'],
  ['site-local IPv6', 'http://[fec0::1]/', 'address'],
  ['unique local IPv6', 'http://[fc00::1]/', 'address'],
  ['metadata in unique local IPv6', 'http://[fd00:ec2::254]/', 'address'],
  ['multicast of IPv6', 'http://[ff02::1]/', 'address'],
  ['discarded IPv6', 'http://[100::1]/', 'address'],
  ['segment routing', 'http://[5f00::1]/', 'address'],
]

// these resolve to a public address, so that the name alone is what is wrong
const NAMES: readonly Case[] = (
  [
    ['localhost', `http://localhost:${port}/`, 'host'],
    ['localhost in capitals, with a full stop', `http://LOCALHOST.:${port}/`, 'host'],
    ['a name below localhost', 'http://app.localhost/', 'host'],
    ['the metadata of a cloud by name', 'http://metadata.google.internal/', 'host'],
    ['a name of mDNS', 'http://printer.local/', 'host'],
    ['a service of a cluster', 'http://api.default.svc.cluster.local/', 'host'],
    ['a name of a home network', 'http://nas.home.arpa/', 'host'],
    ['a name without a domain', 'http://intranet/', 'host'],
    ['a socket of Unix behind a colon', 'http://unix:/var/run/docker.sock:/info', 'host'],
  ] as const
).map(([title, url, problem]) => [title, url, problem, { lookup: resolving([PUBLIC]) }])

const RESOLVED: readonly Case[] = (
  [
    ['to loopback', ['127.0.0.1']],
    ['to loopback of IPv6', ['::1']],
    ['to the metadata of clouds', ['169.254.169.254']],
    ['to the wire server of Azure', ['168.63.129.16']],
    ['to a mapped address', ['::ffff:10.0.0.1']],
    ['to a link-local address with a zone', ['fe80::1%eth0']],
    ['to a public address and a private one', [PUBLIC, '127.0.0.1']],
    ['to a private address and a public one', ['10.0.0.1', PUBLIC]],
    ['to a public address of IPv4 and a private one of IPv6', [PUBLIC, 'fd00::1']],
    ['to no address', []],
    ['to something else than an address', ['localhost']],
  ] as const
).map(([title, addresses]) => [
  `a name that resolves ${title}`,
  `http://rebound.example.com:${port}/`,
  'address',
  { lookup: resolving(addresses) },
])

const URLS: readonly Case[] = [
  ['a user name that looks like a host', `http://hooks.example.com@127.0.0.1:${port}/`, 'credentials'],
  ['a password', 'https://user:secret@hooks.example.com/', 'credentials'],
  ['http, where it is not allowed', 'http://hooks.example.com/', 'scheme', { allowHttp: false }],
  ['a file', 'file:///etc/passwd', 'scheme'],
  ['FTP', 'ftp://hooks.example.com/', 'scheme'],
  ['Gopher', `gopher://127.0.0.1:${port}/_POST`, 'scheme'],
  ['a WebSocket', 'wss://hooks.example.com/', 'scheme'],
  ['data', 'data:text/plain,hello', 'scheme'],
  ['a socket of Unix', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info', 'scheme'],
  ['another socket of Unix', 'unix:/var/run/docker.sock', 'scheme'],
  ['a path alone', '/hook', 'url'],
  ['nothing', '', 'url'],
  ['a line break and a header', 'http://hooks.example.com/\r\nX-Injected: 1', 'url'],
  ['a line break in the host', 'http://hooks.exa\nmple.com/', 'url'],
  ['a tab', 'http://hooks.example.com/\t', 'url'],
  ['a blank', 'http://hooks.example.com/ HTTP/1.1', 'url'],
  ['NUL', 'http://hooks.example.com/\0', 'url'],
  ['a backslash before an at sign', `http://hooks.example.com\\@127.0.0.1:${port}/`, 'url'],
  ['a port that is too large', 'http://hooks.example.com:65536/', 'url'],
  ['an IPv6 address with a zone', 'http://[fe80::1%25eth0]/', 'url'],
  ['a port that is not listed', 'https://hooks.example.com:22/', 'port', { ports: [443, 8443] }],
  ['the port of http, where it is not listed', 'http://hooks.example.com/', 'port', { ports: [443] }],
  ['port 0', 'http://hooks.example.com:0/', 'port'],
]

const CASES = [...IN_URL, ...NAMES, ...RESOLVED, ...URLS]

describe('a forged request', () => {
  it('is tried in more than 50 ways', () => assert.ok(CASES.length >= 50, String(CASES.length)))

  for (const [title, url, problem, options] of CASES)
    it(`is refused: ${title}`, async () => {
      const before = receiver.received.length
      // a name that is not about the case would be public
      const made = await attempt(url, { allowHttp: true, lookup: resolving([PUBLIC]), ...options })
      assert.deepEqual([made.outcome, made.problem, made.status], ['failed', 'target', undefined])
      assert.ok(made.error instanceof WebhookTargetError)
      assert.equal(made.error.problem, problem)
      assert.equal(receiver.received.length, before)
    })

  it('is refused when a name means something else a moment after it was checked', async () => {
    const lookup = resolving([PUBLIC], ['127.0.0.1'])
    const subscription = {
      id: 's1',
      url: `http://hooks.example.com:${port}/`,
      secrets: createWebhookSecret(),
    }
    const webhooks = createWebhooks({
      subscriptions: { of: () => [], find: () => subscription, disable: () => undefined },
      allowHttp: true,
      lookup,
    })
    await webhooks.checkUrl(subscription.url)
    const delivery = { id: 'msg_1', event: 'car', subscription: 's1', body: '{}', attempt: 1 }
    const { outcome, error } = await webhooks.deliver(delivery)
    await webhooks.close()
    assert.deepEqual([outcome, error instanceof WebhookTargetError], ['failed', true])
    assert.equal(receiver.received.length, 0)
  })

  it('is sent where private addresses are allowed, so what refuses the others is their address', async () => {
    const before = receiver.received.length
    const { outcome, status } = await attempt(receiver.url, { allowPrivate: true })
    assert.deepEqual([outcome, status, receiver.received.length], ['delivered', 204, before + 1])
    const named = await attempt(`http://hooks.example.com:${port}/`, {
      allowPrivate: true,
      lookup: resolving(['127.0.0.1']),
    })
    assert.equal(named.outcome, 'delivered')
  })

  it('does not end the process if lookup calls back with something else than addresses', async () => {
    for (const found of [undefined, '127.0.0.1', [undefined], ['127.0.0.1'], [{ family: 4 }]]) {
      const lookup = (_name: string, _options: object, callback: (...given: readonly unknown[]) => void) =>
        void setImmediate(callback, null, found)
      const made = await attempt(`http://hooks.example.com:${port}/`, {
        allowPrivate: true,
        lookup: lookup as unknown as Lookup,
      })
      assert.deepEqual([made.outcome, made.problem], ['retry', 'network'])
      assert.match(String(made.error), /TypeError: lookup has to call back with a list/)
    }
  })

  it('is a failed attempt if an async lookup rejects, a lookup throws, or calls back twice', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const down = new Error('The name server is down')
    const lookups: readonly (readonly [string, (...given: readonly unknown[]) => unknown])[] = [
      ['The name server is down', () => Promise.reject(down)],
      ['lookup failed', () => Promise.reject('down')], // oxlint-disable-line typescript/prefer-promise-reject-errors
      [
        'The name server is down',
        () => {
          throw down
        },
      ],
      [
        'The name server is down',
        (_name, _options, callback) => {
          // a function, as types say
          const call = callback as (...given: readonly unknown[]) => void
          call(down)
          call(null, [{ address: '127.0.0.1', family: 4 }])
          return Promise.reject(down)
        },
      ],
    ]
    const before = receiver.received.length
    for (const [message, lookup] of lookups) {
      const url = `http://hooks.example.com:${port}/`
      const made = await attempt(url, { allowPrivate: true, lookup })
      assert.deepEqual(
        [made.outcome, made.problem, Object(made.error).message],
        ['retry', 'network', message],
      )
    }
    await new Promise((resolve) => void setTimeout(resolve, 10))
    process.off('unhandledRejection', note)
    assert.deepEqual([unhandled, receiver.received.length], [[], before])
  })

  it('is not sent by a proxy of the environment', async () => {
    const proxy = await startReceiver()
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : proxy.url
    try {
      const { outcome } = await attempt(receiver.url, { allowPrivate: true })
      assert.deepEqual([outcome, proxy.received.length], ['delivered', 0])
    } finally {
      for (const [at, name] of names.entries())
        if (before[at] === undefined) delete process.env[name]
        else process.env[name] = before[at]
      await proxy.stop()
    }
  })

  it('does not follow a redirect', async () => {
    const before = receiver.received.length
    for (const status of [301, 302, 303, 307, 308]) {
      const forwarding = await startReceiver((_request, response) =>
        response.writeHead(status, { location: receiver.url }).end(),
      )
      const made = await attempt(forwarding.url, { allowPrivate: true })
      await forwarding.stop()
      assert.deepEqual([made.outcome, made.problem, made.status], ['retry', 'redirect', status])
      assert.equal(forwarding.received.length, 1)
    }
    assert.equal(receiver.received.length, before)
  })
})

describe('checkUrl', () => {
  const check = (url: string, options: TargetOptions & { readonly timeout?: number } = {}) =>
    createWebhooks({
      subscriptions: { of: () => [], find: () => undefined, disable: () => undefined },
      ...options,
    }).checkUrl(url)

  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '64:ff9b::8.8.8.8',
    '2001:200::1',
  ])
    it(`allows a name with the public address ${address}`, async () => {
      await check('https://hooks.example.com/', { lookup: resolving([address]) })
      await check(`https://${address.includes(':') ? `[${address}]` : address}/`)
    })

  it('rejects with what is wrong, and says nothing of the address', async () => {
    await assert.rejects(
      check('https://hooks.example.com/', { lookup: resolving(['10.1.2.3']) }),
      (error) =>
        error instanceof WebhookTargetError &&
        error.problem === 'address' &&
        !error.message.includes('10.1.2.3'),
    )
    await assert.rejects(check('http://hooks.example.com/'), { problem: 'scheme' })
  })

  it('rejects if a name is not resolved in time', async () => {
    await assert.rejects(
      check('https://hooks.example.com/', { lookup: () => undefined, timeout: 20 }),
      /not resolved within 20 ms/,
    )
  })

  it('rejects with the error of an async resolver', async () => {
    const lookup = () => Promise.reject(new Error('down'))
    await assert.rejects(check('https://hooks.example.com/', { lookup }), { message: 'down' })
  })

  it('rejects with the error of the resolver', async () => {
    const lookup: Lookup = (_name, _options, callback) =>
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    await assert.rejects(check('https://nowhere.example.com/', { lookup }), { code: 'ENOTFOUND' })
  })
})
