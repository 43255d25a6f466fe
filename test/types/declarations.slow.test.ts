import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { COMPILER } from '../support/octavo.ts'
import { installPackage } from '../support/package.ts'

const ROOT = join(import.meta.dirname, '../..')
const { resolve } = createRequire(import.meta.url)
// the oldest is among the tools of others
const OLDEST = join(ROOT, 'test/outside/node_modules/typescript-5.5/lib/tsc.js')
const COMPILERS = {
  'TypeScript 7': COMPILER,
  'TypeScript 5.9': [process.execPath, resolve('typescript-5.9/lib/tsc.js')],
  'TypeScript 5.5': [process.execPath, OLDEST],
} as const

/** Options that every version knows. */
const OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  module: 'NodeNext',
  moduleDetection: 'force',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
}

/** A library that exports everything that can be defined, without a type written down. */
const LIBRARY = `
import {
  bind, Config, createApp, defineController, defineErrorFormat, defineErrorHandler, defineGuard, defineInterceptor,
  defineModule, defineParamType, defineProvider, defineRoute, defineRouter, defineToken, defineVersioningScheme, file, html, lazy,
  notFound, redirect, reply, Session, sse, stream, text, VersioningSchemes,
} from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth, optional } from 'octavo/auth'
import { createClient } from 'octavo/client'
import { compression, cors, csrf, etag, loadShedding, rateLimit, requestId, securityHeaders, staticFiles } from 'octavo/middleware'
import { createEdgeApp } from 'octavo/edge'
import { direct } from 'octavo/engine'
import { createTestClient } from 'octavo/testing'
import { createDispatcher } from 'octavo/undici'
import { z } from 'zod'

export const Car = z.object({ id: z.string(), made: z.date() })
export const configToken = Config.of(z.object({ port: z.number() }))
export const sessionToken = Session.of(z.object({ user: z.string() }))
export const clock = defineToken<() => Date>('clock')
export const provider = defineProvider({ name: 'port', inject: { config: configToken }, create: ({ config }) => config.port })
export const late = defineProvider({ name: 'late', inject: { port: lazy(() => provider) }, create: ({ port }) => port })
export const binding = bind(clock, { value: () => new Date() })
export const engine = direct()
export const bearer = bearerAuth({ verify: (token) => ({ user: token }) })
export const basic = basicAuth({ realm: 'cars', verify: (name: string) => ({ name }) })
export const key = optional(apiKey({ in: 'header', name: 'x-key', verify: (value: string) => ({ value }) }))
export const either = anyOf(bearer, key)
export const guard = defineGuard({ name: 'guard', inject: { port: provider }, canActivate: (_context, { port }) => port > 0 })
export const interceptor = defineInterceptor({ name: 'timer', intercept: (_context, next) => next() })
export const errorHandler = defineErrorHandler({ match: RangeError, handle: (error) => reply(409, { message: error.message }) })
export const errorFormat = defineErrorFormat({
  contentType: 'application/json',
  schema: z.object({ message: z.string() }),
  format: (error) => ({ message: error.message }),
})
export const even = defineParamType({ name: 'even', pattern: /\\d*[02468]/, parse: Number, format: String })
export const scheme = defineVersioningScheme({ name: 'tenant', read: () => '1' })
export const route = defineRoute(
  { prefix: '/orgs/{org:int}', inject: { port: provider }, guards: [bearer] },
  { method: 'GET', path: '/port', name: 'port', handler: ({ params, inject }, { identity }) => ({ port: inject.port, ...params, ...identity }) },
)
export const controller = defineController({
  name: 'CarController',
  inject: { clock, session: sessionToken },
  guards: [either],
  routes: [
    { method: 'GET', name: 'list', version: ['1', '2'], input: { query: { limit: z.coerce.number().optional() } }, response: z.array(Car), handler: () => [] },
    { method: 'GET', path: '/{id:int}', name: 'one', response: { 200: Car, 404: z.object({ why: z.string() }) }, handler: () => notFound() as never },
    { method: ['PUT', 'PATCH'], path: '/{id}', name: 'change', version: 'v2', input: { body: Car, files: { photo: z.file() } }, handler: () => undefined },
    { method: 'GET', path: '/{rest:path}', guards: [guard], withoutGuards: [bearer], handler: () => file('x') },
  ],
})
export const orgs = defineController({
  prefix: '/orgs/{org:int}', name: 'orgs', inject: { port: provider }, guards: [bearer], routes: [route],
})
export const users = defineRouter({ prefix: '/users', name: 'users', routes: [{ method: 'GET', name: 'all', handler: () => text('x') }] })
export const admin = defineRouter({ prefix: '/admin', name: 'admin', version: '1', routers: [users] })
export const CarsModule = defineModule({ name: 'CarsModule', controllers: [controller, orgs], providers: [provider, late, binding] })
export const AppModule = defineModule({ imports: [CarsModule], routers: [admin] })
export const app = createApp(AppModule, { errorFormat })
export const edge = createEdgeApp(AppModule)
export const client = createClient<typeof app>({ baseUrl: 'http://localhost' })
export const { car } = client
export const list = car.list
export const listed = await list({ query: { limit: 1 } })
export const bytes = list({ as: 'stream' })
export const tests = createTestClient(app)
export const dispatcher = createDispatcher(app)
export const inject = app.inject
export const urlFor = app.urlFor
export const versions = app.versions()
export const documents = app.openapi()
export const results = [html('x'), redirect('/'), stream([]), sse(async function* () {}), text('x')]
export const schemes = [VersioningSchemes.URL, VersioningSchemes.HEADER] as const
export const middleware = [
  compression(), cors(), csrf(), etag(), loadShedding(), rateLimit({ limit: 1, window: 1 }), requestId(), securityHeaders(),
  staticFiles({ root: '.' }),
]
export function carsModule(prefix: string) {
  return defineModule({ prefix, imports: [CarsModule], controllers: [controller] })
}
`

/** What uses the declarations of that library, not its sources, in a package of its own. */
const PROGRAM = `
import { createClient } from 'octavo/client'
import { before, defineVersionChange, defineVersions, reshape } from 'octavo/changes'
import type { Client } from 'octavo/client'
import { z } from 'zod'
import * as history from 'library/history.js'
import { app, client, listed, urlFor } from 'library/library.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(_same: Same<A, B>): void => undefined

isSame<(typeof listed)['data'], { id: string; made: string }[]>(true)
urlFor('car.one', { id: 7 })
// @ts-expect-error no such route
app.urlFor('car.none')
createClient<typeof app>({ baseUrl: 'http://localhost' }).admin.users.all()
// @ts-expect-error the parameter is missing
client.orgs.port()

interface FirstUser {
  id: number
  fullName: number
  count: number
  born: string | null
  address: { town: string; code: string }
  friends: string[]
  tags: string[]
  marks: { good?: { town: string; code: string }; bad?: { town: string; code: string } }
  data?: Json | undefined
}
type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
const [one] = history.items
isSame<FirstUser['id'] | undefined, NonNullable<typeof one>['id'] | undefined>(true)
const user: FirstUser = one!
// the client is inferred from the application again
const again: Client<typeof history.app, '1'> = history.first
const answer = await again.user.numbered()
const same: FirstUser | undefined = answer.data.items[0]
isSame<ReturnType<typeof history.older>['fullName'], string>(true)
isSame<ReturnType<typeof history.older>['address'], FirstUser['address']>(true)
const json: Json = history.json.data.json
// changes of another package are written against these
const oldest = defineVersionChange({
  version: '1',
  title: 'Numbers were flags',
  change: [
    reshape({ of: before(history.counted, history.earliest), fields: { fullName: { was: z.boolean(), up: Number, down: Boolean } } }),
  ],
})
const more = defineVersions({
  versions: ['3', '2', '1', '0'],
  models: history.models,
  changes: [...history.changes, oldest],
})
const flags: boolean = more.migrate(history.User, {} as never, { to: '0', inject: {} }) instanceof Promise
console.log(user, same, json, flags)
`

describe('declarations of a library that exports its definitions', () => {
  const temporary = join(import.meta.dirname, '.tmp')
  mkdirSync(temporary, { recursive: true })
  const folder = mkdtempSync(join(temporary, 'declarations-'))
  after(() => rmSync(folder, { recursive: true }))

  // packages of their own, so that the name means the built one and not the one around it
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'library', type: 'module' }))
  before(() => installPackage(folder))
  writeFileSync(join(folder, 'library.ts'), LIBRARY)
  cpSync(join(import.meta.dirname, 'declared-history.ts'), join(folder, 'history.ts'))

  for (const [name, [command, ...options]] of Object.entries(COMPILERS)) {
    const skip =
      name === 'TypeScript 5.5' && !existsSync(OLDEST) && 'it is not installed: npm ci --prefix test/outside'
    it(`need no type that is not exported, with ${name}`, { skip }, () => {
      const user = join(folder, name.replaceAll(' ', '-'))
      const library = join(user, 'node_modules/library')
      const compile = (place: string, files: readonly string[], emitted: object): string => {
        const config = { compilerOptions: { ...OPTIONS, ...emitted }, include: [], files }
        writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config))
        const { stdout } = spawnSync(command, [...options, '-p', place, '--pretty', 'false'], {
          encoding: 'utf8',
        })
        return stdout
          .split('\n')
          .filter((line) => line !== '' && !/node_modules\/(?!octavo|library)/.test(line.split('(')[0] ?? ''))
          .join('\n')
      }
      const emitted = { declaration: true, emitDeclarationOnly: true, outDir: library, rootDir: folder }
      assert.equal(compile(folder, ['library.ts', 'history.ts'], emitted), '')
      writeFileSync(join(library, 'package.json'), JSON.stringify({ name: 'library', type: 'module' }))
      writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }))
      writeFileSync(join(user, 'program.ts'), PROGRAM)
      assert.equal(compile(user, ['program.ts'], { noEmit: true }), '')
    })
  }
})
