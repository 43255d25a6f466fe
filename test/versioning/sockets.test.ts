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
  ['the first label', '/cars', ['Host: v2.example.com'], [200, 'cars@2']],
  [
    'an absolute-form target beats Host',
    'http://v2.example.com/cars',
    ['Host: v1.example.com'],
    [200, 'cars@2'],
  ],
  [
    'an absolute-form target without version beats Host',
    'http://example.com/cars',
    ['Host: v1.example.com'],
    unspecified(404),
  ],
  [
    'user information is no host',
    'http://v2.example.com@x/cars',
    ['Host: v1.example.com'],
    [400, 'malformed_target', undefined],
  ],
  ['port, dot and case do not count', '/cars', ['HOST: V2.EXAMPLE.COM.:80'], [200, 'cars@2']],
  ['space around the host does not count', '/cars', ['Host: \t v2.example.com \t'], [200, 'cars@2']],
  [
    'duplicate Host lines are malformed',
    '/cars',
    ['Host: v1.example.com', 'Host: v2.example.com'],
    malformed,
  ],
  [
    'duplicate Host lines under an absolute-form target are malformed',
    'http://v1.example.com/cars',
    ['Host: v1.example.com', 'host: v1.example.com'],
    malformed,
  ],
  [
    'duplicate Host lines are malformed at a never-versioned path too',
    '/health',
    ['Host: v1.a.b', 'Host: v2.a.b'],
    malformed,
  ],
  [
    'X-Forwarded-Host does not count without trustProxy',
    '/cars',
    ['Host: v1.a.b', 'X-Forwarded-Host: v2.a.b'],
    [200, 'cars@1'],
  ],
  ['an empty Host is no version', '/cars', ['Host:'], unspecified(404)],
])

check('HOST behind a proxy, on a socket', () => listen(HOST, {}, { trustProxy: true }), [
  ['X-Forwarded-Host counts', '/cars', ['Host: v1.a.b', 'X-Forwarded-Host: v2.a.b'], [200, 'cars@2']],
  [
    'X-Forwarded-Host beats an absolute-form target',
    'http://v1.a.b/cars',
    [HOST_LINE, 'X-Forwarded-Host: v2.a.b'],
    [200, 'cars@2'],
  ],
  [
    'duplicate Host lines are malformed beside X-Forwarded-Host',
    '/cars',
    ['Host: v1.a.b', 'Host: v2.a.b', 'X-Forwarded-Host: v2.a.b'],
    malformed,
  ],
])

check('URL on a socket', () => listen(URL), [
  ['the first segment is the version', '/v1/cars', [HOST_LINE], [200, 'cars@1']],
  ['a percent-encoded version segment is the version', '/%76%31/cars', [HOST_LINE], [200, 'cars@1']],
  ['an encoded slash does not separate', '/v1%2Fcars', [HOST_LINE], [404, 'route_not_found', undefined]],
  ['dot segments are not resolved', '/v1/../v2/cars', [HOST_LINE], [404, 'route_not_found', undefined]],
  [
    'encoded dot segments are not resolved',
    '/v1/%2e%2e/v2/cars',
    [HOST_LINE],
    [404, 'route_not_found', undefined],
  ],
  ['two slashes are not one', '//v1/cars', [HOST_LINE], [404, 'route_not_found', undefined]],
  [
    'an absolute-form target names the version',
    'http://v2.example.com/v1/cars',
    [HOST_LINE],
    [200, 'cars@1'],
  ],
  ['an encoded absolute-form target names the version', 'http://h/%761/cars', [HOST_LINE], [200, 'cars@1']],
  ['an unknown version is unsupported', '/v9/cars', [HOST_LINE], unknown(404, '9')],
  ['no version is unspecified', '/cars', [HOST_LINE], unspecified(404)],
])

check('HEADER, Accept, on a socket', () => listen(HEADER, { contentType: true }), [
  ['the parameter is the version', '/cars', [HOST_LINE, 'Accept: a/b; version=2'], [200, 'cars@2']],
  [
    'several field lines are one list',
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
    'a quote is not closed by another line',
    '/cars',
    [HOST_LINE, 'Accept: a/b;x="', 'Accept: c/d;version=2'],
    unspecified(400),
  ],
  ['an empty header is no version', '/cars', [HOST_LINE, 'Accept:'], unspecified(400)],
  [
    'an empty line beside another does not count',
    '/cars',
    [HOST_LINE, 'Accept:', 'Accept: a/b;version=2'],
    [200, 'cars@2'],
  ],
  ['no header is no version', '/cars', [HOST_LINE], unspecified(400)],
  [
    'equal Content-Type lines are malformed',
    '/cars',
    [HOST_LINE, 'Content-Type: a/b;version=2', 'Content-Type: a/b;version=2'],
    malformed,
  ],
  [
    'Content-Type lines that differ are malformed',
    '/cars',
    [HOST_LINE, 'Content-Type: a/b;version=1', 'Content-Type: a/b;version=2'],
    malformed,
  ],
])

check('HEADER, a header of its own, on a socket', () => listen(HEADER, { headerParameter: 'X-Version' }), [
  ['name=value is the version', '/cars', [HOST_LINE, 'x-version: version=2;'], [200, 'cars@2']],
  [
    'lines that Node joins agree if they are equal',
    '/cars',
    [HOST_LINE, 'X-Version: 2', 'x-version: version=2'],
    [200, 'cars@2'],
  ],
  [
    'lines that Node joins are ambiguous if they differ',
    '/cars',
    [HOST_LINE, 'X-Version: 1', 'x-version: 2'],
    ambiguous('x-version', '1', '2'),
  ],
  ['an empty header is no version', '/cars', [HOST_LINE, 'X-Version:'], unspecified(400)],
  ['a header of white space is no version', '/cars', [HOST_LINE, 'X-Version: \t '], unspecified(400)],
  [
    'an empty line beside another does not count',
    '/cars',
    [HOST_LINE, 'X-Version:', 'X-Version: 2'],
    [200, 'cars@2'],
  ],
  ['no header is no version', '/cars', [HOST_LINE], unspecified(400)],
])

check('QUERY on a socket', () => listen(QUERY), [
  ['the parameter is the version', '/cars?version=2', [HOST_LINE], [200, 'cars@2']],
  ['a value is decoded once', '/cars?version=%2532', [HOST_LINE], unknown(404, '%32')],
  ['a plus is a space', '/cars?version=+2', [HOST_LINE], unknown(404, ' 2')],
  ['an empty value is no version', '/cars?version=', [HOST_LINE], unspecified(400)],
  ['brackets are another name', '/cars?version[]=2', [HOST_LINE], unspecified(400)],
  ['an absolute-form target names the version', 'http://h/cars?version=2', [HOST_LINE], [200, 'cars@2']],
])

describe('HOST over HTTP/2', () => {
  const app = serve(ROUTES, HOST)
  // what it reads of a request is the same under HTTP/2
  const server = createServer(app.handler as unknown as Parameters<typeof createServer>[1])
  after(async () => {
    server.close()
    await app.close()
  })

  it('the authority is :authority', async () => {
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
