import { gzipSync } from 'node:zlib'

import type { APPS } from './apps.ts'
import type { Sent, Skill } from './adapters.ts'

/** A request of the table: what it asks for, and the status that it gets. */
export interface Case extends Partial<Sent> {
  readonly title: string
  readonly app?: keyof typeof APPS
  readonly path: string
  readonly status: number
  /** What a client has to be able to do to send it, and to show the answer. */
  readonly needs?: readonly Skill[]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const TEXT_TYPE = { 'content-type': 'text/plain' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

function get(path: string, title: string, status = 200, rest: Partial<Case> = {}): Case {
  return { method: 'GET', path, title, status, ...rest }
}

function post(path: string, body: Sent['body'], title: string, status = 200, rest: Partial<Case> = {}): Case {
  return { method: 'POST', path, body, title, status, ...rest }
}

const RESULTS: readonly Case[] = [
  get('/result/json', 'data'),
  get('/result/string', 'a string as JSON'),
  get('/result/null', 'null'),
  get('/result/nothing', 'no content', 204),
  get('/result/text', 'text that is not ASCII'),
  get('/result/half', 'half a surrogate pair'),
  get('/result/bytes', 'bytes'),
  get('/result/no-bytes', 'no bytes'),
  get('/result/created', 'a status of the route', 201),
  get('/result/reset', 'a reset', 205),
  get('/result/not-modified', 'not modified', 304),
  get('/result/redirect', 'a redirect', 303),
  get('/result/generator', 'an async generator of text'),
  get('/result/stream', 'a stream with a type'),
  get('/result/no-stream', 'a stream without chunks'),
  get('/result/node', 'a stream of Node'),
  get('/result/web', 'a web stream'),
  get('/result/large', 'many bytes'),
  get('/result/large-stream', 'a long stream'),
  get('/result/response', 'a web response', 202),
  get('/result/response-cookies', 'cookies of a web response'),
  get('/result/read-response', 'a web response that was read before', 500),
  get('/result/locked-stream', 'a stream that somebody else reads', 500),
  get('/result/cookies', 'several cookies'),
  get('/result/headers', 'several lines of a header'),
  get('/result/framed', 'a framing of its own'),
  get('/result/head', 'a head that was set', 203),
  ...['json', 'text', 'stream', 'nothing', 'cookies', 'locked-stream'].map((path) =>
    get(`/result/${path}`, `the head of ${path}`, path === 'nothing' ? 204 : 200, { method: 'HEAD' }),
  ),
]

const FAILURES: readonly Case[] = [
  get('/nowhere', 'an unknown path', 404),
  get('/nowhere', 'the head of an unknown path', 404, { method: 'HEAD' }),
  get('/head/methods', 'another method', 405, { method: 'DELETE' }),
  get('/head/methods', 'a method that no route can have', 405, { method: 'PURGE' }),
  get('/head/methods', 'the methods of a path', 204, { method: 'OPTIONS' }),
  get('/nowhere', 'the methods of an unknown path', 404, { method: 'OPTIONS' }),
  get('*', 'the methods of the server', 204, { method: 'OPTIONS', needs: ['star'] }),
  get('/failure/unknown', 'an error', 500),
  get('/failure/unknown', 'the head of an error', 500, { method: 'HEAD' }),
  get('/failure/thrown-text', 'something thrown that is no error', 500),
  get('/failure/http', 'an error of the application', 409),
  get('/failure/with-headers', 'an error with headers', 400),
  get('/failure/crlf', 'a header that cannot be sent', 500),
  get('/failure/status', 'a status that does not exist', 500),
  get('/failure/bigint', 'a result that JSON cannot hold', 500),
  get('/head/one/%zz', 'a malformed escape', 400),
  get('/head/one/%ff', 'an escape that is not UTF-8', 400),
  get(`/head/url/${'a'.repeat(9000)}`, 'a URL that is too long', 414),
  get('/head/joined', 'headers that are too long', 431, { headers: { 'x-a': 'b'.repeat(17_000) } }),
  get('/head/joined', 'a Host header that is none', 400, { headers: { host: 'a b' }, needs: ['bad heads'] }),
]

const BODIES: readonly Case[] = [
  post('/body/json', '{"name":"Förd","year":2026}', 'JSON', 200, { headers: JSON_TYPE }),
  post('/body/json', ['{"name":', '"Förd"}'], 'JSON in chunks', 200, { headers: JSON_TYPE }),
  post('/body/json', '{"name":"a"}', 'JSON that does not say so'),
  ...['QUERY', 'PUT', 'PATCH', 'DELETE'].map((method) =>
    post('/body/json', '{"name":"a"}', `JSON by ${method}`, 200, { method, headers: JSON_TYPE }),
  ),
  post('/body/json', ['{"name":', '"Förd"}'], 'JSON in chunks by QUERY', 200, {
    method: 'QUERY',
    headers: JSON_TYPE,
  }),
  post('/body/json', Buffer.from('{"name":"a"}'), 'JSON by QUERY that does not say so', 400, {
    method: 'QUERY',
  }),
  post('/body/json', undefined, 'no JSON by QUERY', 422, { method: 'QUERY' }),
  ...['QUERY', 'PATCH'].map((method) =>
    post('/body/json', 'name: a', `another type by ${method}`, 415, { method, headers: TEXT_TYPE }),
  ),
  post('/body/json', '{"name":"a"}', 'a merge patch', 200, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
  }),
  get('/body/json', 'the methods and types of a path', 204, { method: 'OPTIONS' }),
  post('/body/json', '{"name":', 'JSON that is malformed', 400, { headers: JSON_TYPE }),
  post('/body/json', '['.repeat(600), 'JSON that is too deep', 400, { headers: JSON_TYPE }),
  post('/body/json', '{"name":7}', 'JSON that does not fit', 422, { headers: JSON_TYPE }),
  post('/body/json', undefined, 'no JSON', 422),
  post('/body/json', undefined, 'no JSON where a type is given', 422, { headers: TEXT_TYPE }),
  post('/body/json', 'name: a', 'another type', 415, { headers: TEXT_TYPE }),
  post('/body/json', Buffer.from([123, 255]), 'JSON that is not UTF-8', 400, { headers: JSON_TYPE }),
  post('/body/json', gzipSync('{"name":"a"}'), 'JSON in gzip', 200, {
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
  }),
  post('/body/json', '{"name":"a"}', 'an unknown coding', 415, {
    headers: { ...JSON_TYPE, 'content-encoding': 'what' },
  }),
  post('/body/text', 'täxt', 'text', 200, { headers: TEXT_TYPE }),
  post('/body/text', ['tä', '', 'xt'], 'text in chunks', 200, { headers: TEXT_TYPE }),
  post('/body/maybe', '', 'an empty text', 200, { headers: TEXT_TYPE }),
  post('/body/maybe', [], 'a stream without chunks', 200, { headers: TEXT_TYPE }),
  post('/body/bytes', new Uint8Array([0, 255, 10, 13]), 'bytes'),
  post('/body/bytes', Buffer.alloc(300_000, 'ab'), 'many bytes'),
  post(
    '/body/bytes',
    Array.from({ length: 30 }, (_, at) => Buffer.alloc(10_000, at)),
    'many chunks',
  ),
  post('/body/bytes', Buffer.alloc(1_048_577), 'too many bytes', 413),
  post('/body/small', 'eleven byte', 'more than the route takes', 413, { headers: TEXT_TYPE }),
  post('/body/small', ['eleven ', 'byte'], 'more than the route takes, in chunks', 413, {
    headers: TEXT_TYPE,
  }),
  post('/body/small', 'ten bytes!', 'as much as the route takes', 200, { headers: TEXT_TYPE }),
  post('/body/form', 'a=x+y%26&n=1&n=2', 'a form', 200, { headers: FORM_TYPE }),
  post('/body/form', 'a=x&n=b', 'a form that does not fit', 422, { headers: FORM_TYPE }),
  post('/body/form', '{}', 'another type than a form', 415, { headers: JSON_TYPE }),
  post('/body/read', 'täxt', 'a body that the handler reads', 200, { headers: TEXT_TYPE }),
  post('/body/web', ['a', 'b'], 'a body that is read as a web request', 200, { headers: TEXT_TYPE }),
  post('/body/ignored', 'not read', 'a body that nobody reads', 200, { headers: TEXT_TYPE }),
  post('/body/ignored', ['not ', 'read'], 'chunks that nobody reads', 200, { headers: TEXT_TYPE }),
  post('/body/read', 'of GET', 'a body of GET', 200, {
    method: 'GET',
    headers: TEXT_TYPE,
    needs: ['bodies of GET'],
  }),
]

const HEADS: readonly Case[] = [
  get('/head/url/a/b?c=d', 'a URL'),
  get('/head/url/a', 'another host', 200, { headers: { host: 'cars.example:8080' } }),
  get('/head/url/', 'a rest that is empty'),
  get('/head/url/a//b/', 'slashes'),
  get('/head/url/a/../b', 'dots', 200, { needs: ['raw paths'] }),
  get('/head/url/x?a&b=&a=1&=c&d=%zz&e=1+2%2B&__proto__=p&a[]=2', 'an odd query'),
  get('/head/url/x?', 'an empty query', 200, { needs: ['raw paths'] }),
  get('/head/url/x?a=b?c=d&e=/', 'a query with its own separators'),
  get('/head/url/x', 'TRACE', 200, { method: 'TRACE', needs: ['trace'] }),
  get('/head/url/x', 'a declared OPTIONS', 200, { method: 'OPTIONS' }),
  get('/head/one/a%2Fb%20%C3%A9', 'escapes'),
  get("/head/one/a;b=c,d:e@f!$&'()*+=~", 'characters that need no escape'),
  get('/head/int/12', 'a number in the path'),
  get('/head/int/a', 'no number in the path', 404),
  get('/head/cookies', 'cookies', 200, { headers: { cookie: 'a=1; b="x y"; c=%C3%A9; a=2; d' } }),
  get('/head/joined', 'a header', 200, { headers: { 'X-A': 'b, c' } }),
  get('/head/joined', 'a header that is not ASCII', 200, { headers: { 'x-a': 'é' } }),
  get('/head/joined', 'a header without value', 200, { headers: { 'x-a': '' } }),
  get('/head/joined', 'lines of one header, joined', 200, { headers: { 'x-a': ['b', 'c'] } }),
  get('/head/lines', 'lines of one header', 200, { headers: { 'x-a': ['b', 'c'] }, needs: ['lines'] }),
  get('/head/joined', 'two types', 400, {
    headers: { 'content-type': ['a/b', 'c/d'] },
    needs: ['bad heads'],
  }),
  get('/head/query?n=1&n=2&on=yes', 'a query that fits'),
  get('/head/query?n=a&on=perhaps', 'a query that does not fit', 422),
]

const AROUND: readonly Case[] = [
  get('/head/methods', 'a header of middleware', 200, { headers: { origin: 'https://a.example' } }),
  get('/head/methods/', 'another spelling', 308),
  get('/nowhere', 'middleware around an unknown path', 404),
  get('/failure/unknown', 'middleware around an error', 500, { headers: { origin: 'https://a.example' } }),
  get('/head/methods', 'a preflight', 204, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
  }),
].map((entry) => ({ ...entry, app: 'tagged' as const }))

const VERSIONS: readonly Case[] = [
  get('/v2/garage', 'version 2 in the URL', 200, { app: 'byUrl' }),
  get('/garage', 'the default version in the URL', 200, { app: 'byUrl' }),
  get('/v9/garage', 'an unknown version in the URL', 404, { app: 'byUrl' }),
  get('/garage', 'version 2 in a header', 200, { app: 'byHeader', headers: { 'x-version': '2' } }),
  get('/garage', 'an unknown version in a header', 406, { app: 'byHeader', headers: { 'x-version': '9' } }),
  get('/garage', 'version 2 in Accept', 200, {
    app: 'byAccept',
    headers: { accept: 'application/json; version=2' },
  }),
  get('/garage?version=2', 'version 2 in the query', 200, { app: 'byQuery' }),
  get('/garage?version=1&version=2', 'two versions in the query', 400, { app: 'byQuery' }),
  get('/garage', 'version 2 in the host', 200, { app: 'byHost', headers: { host: 'v2.example.com' } }),
]

/** Every request that goes through every adapter. */
export const CASES: readonly Case[] = [...RESULTS, ...FAILURES, ...BODIES, ...HEADS, ...AROUND, ...VERSIONS]
