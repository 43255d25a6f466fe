import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import {
  createApp,
  defineErrorFormat,
  defineModule,
  defineParamType,
  defineVersioningScheme,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, ExecutionContext, InjectOptions, InjectResponse, Logger } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { compression, csrf, loadShedding, requestId } from 'octavo/middleware'
import { preconditions } from 'octavo/preconditions'
import { z } from 'zod'

import { controller } from '../support/untyped.ts'

const failure = new Error('of the hook')

/** Hooks that return no value but a promise of one, or something like it. */
const HOOKS: Readonly<Record<string, () => unknown>> = {
  resolves: async () => 'late',
  'resolves to true': async () => true,
  rejects: async () => Promise.reject(failure),
  'rejects later': async () => turn().then(() => Promise.reject(failure)),
  'returns a thenable that throws': () =>
    thenable(() => {
      throw failure
    }),
  'returns a thenable that calls back twice': () =>
    thenable((resolve, reject) => {
      reject(failure)
      resolve(true)
    }),
  'returns a thenable that resolves to itself': () => {
    const endless: unknown = thenable((resolve) => resolve(endless))
    return endless
  },
}

type Settle = (value: unknown) => void

function thenable(settle: (resolve: Settle, reject: Settle) => void): unknown {
  // oxlint-disable-next-line unicorn/no-thenable
  return { then: settle }
}

/** An application with a hook, a request to it, and the response that is safe. */
interface Case {
  /** The name in the log. @default the title */
  readonly hook?: string
  readonly options: (hook: () => never) => AppOptions
  readonly request?: InjectOptions
  readonly safe: (response: InjectResponse) => unknown
  readonly expected: unknown
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const statusOf = ({ statusCode }: InjectResponse): number => statusCode

const POST = { method: 'POST', url: '/car' } as const

/** A type of parameters whose functions tests replace. */
const own = { parse: (text: string): unknown => text, format: (value: unknown): string => String(value) }
defineParamType<unknown>({
  name: 'own',
  pattern: '.+',
  parse: (text) => own.parse(text),
  format: (value) => own.format(value),
})

const CASES: Readonly<Record<string, Case>> = {
  client: {
    options: (client) => ({ client }),
    safe: ({ body }) => body,
    expected: '"none"',
  },
  'compression.filter': {
    options: (filter) => ({ middleware: [compression({ filter, threshold: 0 })] }),
    request: { url: '/car', headers: { 'accept-encoding': 'gzip' } },
    safe: ({ headers }) => headers['content-encoding'],
    expected: undefined,
  },
  'csrf.skip': {
    options: (skip) => ({ middleware: [csrf({ skip })] }),
    request: { ...POST, headers: { 'sec-fetch-site': 'cross-site' } },
    safe: statusOf,
    expected: 403,
  },
  'requestId.trust': {
    options: (trust) => ({ middleware: [requestId({ trust })] }),
    request: { url: '/car', headers: { 'x-request-id': 'forged' } },
    safe: ({ headers }) => UUID.test(String(headers['x-request-id'])),
    expected: true,
  },
  'requestId.generate': {
    options: (generate) => ({ middleware: [requestId({ generate })] }),
    safe: ({ headers }) => UUID.test(String(headers['x-request-id'])),
    expected: true,
  },
  'loadShedding.measure': {
    options: (measure) => ({ middleware: [loadShedding({ measure })] }),
    safe: statusOf,
    expected: 200,
  },
  'preconditions.etag': {
    options: (etag) => ({ interceptors: [preconditions({ etag, current: () => ({}) })] }),
    request: { ...POST, headers: { 'if-match': '"true"' } },
    safe: statusOf,
    expected: 412,
  },
  'preconditions.lastModified': {
    options: (lastModified) => ({
      interceptors: [preconditions({ etag: () => 1, lastModified, current: () => ({}) })],
    }),
    request: { ...POST, headers: { 'if-unmodified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' } },
    safe: statusOf,
    expected: 412,
  },
  'idempotency.client': {
    options: (client) => ({ interceptors: [idempotency({ client })] }),
    request: { ...POST, headers: { 'idempotency-key': 'a-key-of-some-length' } },
    safe: statusOf,
    expected: 500,
  },
  'errorFormat.format': {
    options: (format) => ({ errorFormat: defineErrorFormat({ schema: z.object({}), format }) }),
    request: { url: '/none' },
    safe: ({ statusCode, headers }) => [statusCode, headers['content-type']],
    expected: [404, 'application/problem+json'],
  },
  'docs.ui': {
    options: (ui) => ({ docs: { ui } }),
    request: { url: '/docs' },
    safe: statusOf,
    expected: 500,
  },
  clock: {
    options: (clock) => ({
      versioning: {
        scheme: VersioningSchemes.QUERY,
        versions: { '1': { brownouts: [{ from: '2026-01-01', to: '2026-01-02' }] } },
        clock,
      },
    }),
    request: { url: '/car/old?version=1' },
    safe: statusOf,
    expected: 500,
  },
  'parse of a parameter': {
    hook: "defineParamType({ name: 'own' })",
    options: (parse) => {
      own.parse = parse
      return {}
    },
    request: { url: '/car/id/7' },
    safe: statusOf,
    expected: 500,
  },
  'format of a parameter': {
    hook: "defineParamType({ name: 'own' })",
    options: (format) => {
      own.format = format
      return {}
    },
    request: { url: '/car/link' },
    safe: statusOf,
    expected: 500,
  },
}

// without types, which do not know the type of the parameter
const cars = controller({
  name: 'cars',
  prefix: '/car',
  routes: [
    { method: 'GET', handler: (_input: unknown, { client = 'none' }: ExecutionContext) => client },
    { method: 'POST', handler: () => ({}) },
    { method: 'GET', path: '/old', version: '1', handler: () => 'old' },
    { method: 'GET', path: '/id/{id:own}', name: 'byId', handler: () => 'found' },
    {
      method: 'GET',
      path: '/link',
      handler: (_input: unknown, { urlFor }: ExecutionContext) => urlFor('cars.byId', { id: '7' }),
    },
  ],
})

/** An application whose options have a hook. */
function serve(options: Case['options'], hook: () => unknown, logger: Logger | false): App {
  // as JavaScript would
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return createApp(defineModule({ controllers: [cars] }), { logger, ...options(hook as () => never) })
}

describe('a hook that is not awaited', () => {
  const unhandled: unknown[] = []
  const keep = (error: unknown): void => void unhandled.push(error)
  const assertHandled = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns++) await turn()
    assert.deepEqual(unhandled.splice(0), [])
  }
  before(() => process.on('unhandledRejection', keep))
  after(() => process.off('unhandledRejection', keep))

  for (const [
    title,
    { hook: name = title, options, request = { url: '/car' }, safe, expected },
  ] of Object.entries(CASES))
    for (const [what, hook] of Object.entries(HOOKS))
      it(`has a safe answer and a line in the log: ${title} ${what}`, async () => {
        const functions = { ...own }
        const lines: object[] = []
        const log = (details: object): void => void lines.push(details)
        const logger = { debug: log, info: log, warn: log, error: log }
        const app = serve(options, hook, logger)
        try {
          assert.deepEqual(safe(await app.inject(request)), expected)
        } finally {
          Object.assign(own, functions)
        }
        await assertHandled()
        const errors = lines.map((line) => Object(Reflect.get(line, 'err')))
        const message = `${name} returned a promise, which is not awaited`
        assert.ok(errors.some((error) => error.code === 'promise_not_awaited' && error.message === message))
      })

  for (const [what, hook] of Object.entries(HOOKS))
    it(`has inject reject if it writes the version and ${what}`, async () => {
      const app = serve(
        (write) => ({
          versioning: { scheme: defineVersioningScheme({ name: 'own', read: () => '1', write }) },
        }),
        hook,
        false,
      )
      await assert.rejects(app.inject({ url: '/car', version: '1' }), { code: 'promise_not_awaited' })
      await assertHandled()
    })
})
