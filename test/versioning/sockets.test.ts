import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { App, AppOptions, VersioningOptions, VersioningScheme } from 'octavo'

import { exchange, LOOPBACK, parse } from '../node/support.ts'
import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

const ROUTES: readonly Row[] = [
  ['GET', '/cars', '1', 'cars'],
  ['GET', '/cars', '2', 'cars'],
  ['POST', '/cars', '2', 'create'],
  ['GET', '/health', undefined, 'health'],
]

interface Served {
  readonly app: App
  readonly url: string
}

async function listen<O extends object>(
  scheme: VersioningScheme<O>,
  options?: O & VersioningOptions,
  appOptions?: Omit<AppOptions, 'versioning'>,
): Promise<Served> {
  const app = serve(ROUTES, scheme, options, appOptions)
  const url = await app.listen(LOOPBACK)
  return { app, url }
}

type Case = readonly [title: string, target: string, lines: readonly string[], expected: readonly unknown[]]

/** Sends the lines as they stand; what comes back: the status, and the body or what a problem document says. */
async function ask(url: string, target: string, lines: readonly string[]): Promise<readonly unknown[]> {
  const head = [`GET ${target} HTTP/1.1`, ...lines, 'Connection: close', '', '']
  const { statusLine, body } = parse(await exchange(url, head.join('\r\n')))
  const status = Number(statusLine.split(' ')[1])
  const value: unknown = JSON.parse(body)
  if (status === 200) return [status, value]
  const { code, requested, sources } = value as Record<string, unknown>
  return [status, code, requested ?? sources]
}

function check(name: string, listening: () => Promise<Served>, cases: readonly Case[]): void {
  describe(name, () => {
    const served = listening()
    after(async () => (await served).app.close())
    for (const [title, target, lines, expected] of cases) {
      it(`${title}: ${target} ${lines.join(' | ').slice(0, 60)}`, async () => {
        assert.deepEqual(await ask((await served).url, target, lines), expected)
      })
    }
  })
}

const HOST_LINE = 'Host: a.test'
/** RFC 9112 section 3.2, RFC 9110 section 5.3: refused before anything is versioned. */
const malformed = [400, 'malformed_request', undefined] as const
const unspecified = (status: number) => [status, 'unspecified_version', undefined] as const
const unknown = (status: number, requested: string) => [status, 'unsupported_version', requested] as const
const ambiguous = (name: string, ...values: string[]) =>
  [400, 'ambiguous_version', values.map((value) => ({ in: 'header', name, value }))] as const

check('HOST on a socket', () => listen(HOST), [
  ['S6 the first label', '/cars', ['Host: v2.example.com'], [200, 'cars@2']],
  [
    'O1 an absolute-form target beats Host',
    'http://v2.example.com/cars',
    ['Host: v1.example.com'],
    [200, 'cars@2'],
  ],
  ['O1 and one without version', 'http://example.com/cars', ['Host: v1.example.com'], unspecified(404)],
  [
    'O1 user information is no host',
    'http://v2.example.com@x/cars',
    ['Host: v1.example.com'],
    [400, 'malformed_target', undefined],
  ],
  ['O2 port, dot and case', '/cars', ['HOST: V2.EXAMPLE.COM.:80'], [200, 'cars@2']],
  ['O2 space around it', '/cars', ['Host: \t v2.example.com \t'], [200, 'cars@2']],
  ['O6 duplicate Host lines', '/cars', ['Host: v1.example.com', 'Host: v2.example.com'], malformed],
  [
    'O6 duplicate Host lines under an absolute-form target',
    'http://v1.example.com/cars',
    ['Host: v1.example.com', 'host: v1.example.com'],
    malformed,
  ],
  [
    'P6 duplicate Host lines where nothing is versioned',
    '/health',
    ['Host: v1.a.b', 'Host: v2.a.b'],
    malformed,
  ],
  [
    'O7 X-Forwarded-Host without trustProxy',
    '/cars',
    ['Host: v1.a.b', 'X-Forwarded-Host: v2.a.b'],
    [200, 'cars@1'],
  ],
  ['O3 an empty Host', '/cars', ['Host:'], unspecified(404)],
])

check('HOST behind a proxy, on a socket', () => listen(HOST, {}, { trustProxy: true }), [
  ['O7 X-Forwarded-Host', '/cars', ['Host: v1.a.b', 'X-Forwarded-Host: v2.a.b'], [200, 'cars@2']],
  [
    'O7 beats an absolute-form target',
    'http://v1.a.b/cars',
    [HOST_LINE, 'X-Forwarded-Host: v2.a.b'],
    [200, 'cars@2'],
  ],
  [
    'O6 duplicate Host lines still count',
    '/cars',
    ['Host: v1.a.b', 'Host: v2.a.b', 'X-Forwarded-Host: v2.a.b'],
    malformed,
  ],
])

check('URL on a socket', () => listen(URL), [
  ['S2 the first segment', '/v1/cars', [HOST_LINE], [200, 'cars@1']],
  ['U8 a percent-encoded version segment', '/%76%31/cars', [HOST_LINE], [200, 'cars@1']],
  ['U8 an encoded slash', '/v1%2Fcars', [HOST_LINE], [404, 'route_not_found', undefined]],
  ['U9 dot segments', '/v1/../v2/cars', [HOST_LINE], [404, 'route_not_found', undefined]],
  ['U9 encoded dot segments', '/v1/%2e%2e/v2/cars', [HOST_LINE], [404, 'route_not_found', undefined]],
  ['U10 two slashes', '//v1/cars', [HOST_LINE], [404, 'route_not_found', undefined]],
  ['U11 an absolute-form target', 'http://v2.example.com/v1/cars', [HOST_LINE], [200, 'cars@1']],
  ['U11 an absolute-form target, encoded', 'http://h/%761/cars', [HOST_LINE], [200, 'cars@1']],
  ['U2 an unknown version', '/v9/cars', [HOST_LINE], unknown(404, '9')],
  ['U14 no version', '/cars', [HOST_LINE], unspecified(404)],
])

check('HEADER, Accept, on a socket', () => listen(HEADER, { contentType: true }), [
  ['S3 the parameter', '/cars', [HOST_LINE, 'Accept: a/b; version=2'], [200, 'cars@2']],
  [
    'ACC1 several field lines are one list',
    '/cars',
    [
      HOST_LINE,
      'Accept: a/b;version=9',
      'X-Other: 1',
      'accept: c/d;version=2;q=0.5',
      'ACCEPT: e/f;version=1',
    ],
    [200, 'cars@1'],
  ],
  [
    'ACC1 a quote is not closed by another line',
    '/cars',
    [HOST_LINE, 'Accept: a/b;x="', 'Accept: c/d;version=2'],
    unspecified(400),
  ],
  ['ACC7 an empty header', '/cars', [HOST_LINE, 'Accept:'], unspecified(400)],
  [
    'ACC7 an empty line beside another',
    '/cars',
    [HOST_LINE, 'Accept:', 'Accept: a/b;version=2'],
    [200, 'cars@2'],
  ],
  ['ACC7 no header', '/cars', [HOST_LINE], unspecified(400)],
  [
    'A2 equal Content-Type lines',
    '/cars',
    [HOST_LINE, 'Content-Type: a/b;version=2', 'Content-Type: a/b;version=2'],
    malformed,
  ],
  [
    'A2 Content-Type lines that differ',
    '/cars',
    [HOST_LINE, 'Content-Type: a/b;version=1', 'Content-Type: a/b;version=2'],
    malformed,
  ],
])

check('HEADER, a header of its own, on a socket', () => listen(HEADER, { headerParameter: 'X-Version' }), [
  ['S4 name and value', '/cars', [HOST_LINE, 'x-version: version=2;'], [200, 'cars@2']],
  [
    'H4 lines that Node joins, equal',
    '/cars',
    [HOST_LINE, 'X-Version: 2', 'x-version: version=2'],
    [200, 'cars@2'],
  ],
  [
    'H4 lines that Node joins, different',
    '/cars',
    [HOST_LINE, 'X-Version: 1', 'x-version: 2'],
    ambiguous('x-version', '1', '2'),
  ],
  ['H5 an empty header', '/cars', [HOST_LINE, 'X-Version:'], unspecified(400)],
  ['H5 a header of white space', '/cars', [HOST_LINE, 'X-Version: \t '], unspecified(400)],
  ['H5 an empty line beside another', '/cars', [HOST_LINE, 'X-Version:', 'X-Version: 2'], [200, 'cars@2']],
  ['H6 no header', '/cars', [HOST_LINE], unspecified(400)],
])

check('QUERY on a socket', () => listen(QUERY), [
  ['S5 the parameter', '/cars?version=2', [HOST_LINE], [200, 'cars@2']],
  ['Q1 decoded once', '/cars?version=%2532', [HOST_LINE], unknown(404, '%32')],
  ['Q1 a plus is a space', '/cars?version=+2', [HOST_LINE], unknown(404, ' 2')],
  ['Q3 an empty value', '/cars?version=', [HOST_LINE], unspecified(400)],
  ['Q6 brackets', '/cars?version[]=2', [HOST_LINE], unspecified(400)],
  ['U11 an absolute-form target', 'http://h/cars?version=2', [HOST_LINE], [200, 'cars@2']],
])

describe('HOST over HTTP/2', () => {
  const app = serve(ROUTES, HOST)
  // what it reads of a request is the same under HTTP/2
  const server = createServer(app.handler as unknown as Parameters<typeof createServer>[1])
  after(async () => {
    server.close()
    await app.close()
  })

  it('O1 the authority is :authority', async () => {
    await app.ready()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const session = connect(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':path': '/cars', ':authority': 'v2.example.com' })
    let body = ''
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk)
    session.close()
    assert.equal(body, '"cars@2"')
  })
})
