import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  bind,
  createApp,
  defineController,
  defineGuard,
  defineInterceptor,
  defineModule,
  DefinitionError,
  defineProvider,
  defineToken,
  ExecutionContext,
  HttpRequest,
  lazy,
  Session,
} from 'octavo'
import type { AppOptions, Module, Token } from 'octavo'
import { z } from 'zod'
import { withoutPlaces } from '../support/places.ts'

type AnyModule = Module<unknown, unknown>
type Case = readonly [title: string, make: () => unknown, ...expected: readonly string[]]

/** The definitions without their types: these mistakes are for those whom no compiler warned. */
const moduleOf = defineModule as unknown as (options: object) => AnyModule

/** The lines of the message, one for each mistake. */
async function linesOf(make: () => unknown): Promise<readonly string[]> {
  try {
    await make()
  } catch (error) {
    if (error instanceof DefinitionError) {
      return withoutPlaces(error.message)
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
    }
    throw error
  }
  return []
}

function table(cases: readonly Case[]): void {
  for (const [title, make, ...expected] of cases) {
    it(title, async () => assert.deepEqual(await linesOf(make), expected))
  }
}

const app =
  (options: object, appOptions: AppOptions = {}) =>
  () =>
    createApp(moduleOf({ name: 'AppModule', ...options }), { logger: false, ...appOptions })

const provider = (name: string, inject: Readonly<Record<string, Token<unknown>>> = {}, scope = 'singleton') =>
  defineProvider({ name, inject, scope: scope as 'singleton', create: () => name })

const Database = provider('Database')
const Cars = provider('Cars', { db: Database })
const needsDatabase = defineGuard({ name: 'SignedIn', inject: { db: Database }, canActivate: () => true })
const Clock = defineToken<() => number>('Clock')
const controllerWith = (inject: Readonly<Record<string, Token<unknown>>>) =>
  defineController({ name: 'CarController', inject, routes: [{ method: 'GET', handler: () => null }] })

describe('a provider that needs itself', () => {
  const Self: Token<unknown> = provider('Self', { self: lazy(() => Self) })
  const A: Token<unknown> = provider('A', { b: lazy(() => B) })
  const B: Token<unknown> = provider('B', { a: A })
  const X: Token<unknown> = provider('X', { y: lazy(() => Y) })
  const Y: Token<unknown> = provider('Y', { z: lazy(() => Z) })
  const Z: Token<unknown> = provider('Z', { x: X })
  const Outer = provider('Outer', { x: X })
  const fix =
    'Move the shared code into another provider, or pass a value instead of injecting it [provider_cycle]'

  table([
    [
      'directly',
      app({ providers: [Self] }),
      `Self (provider of AppModule): it needs itself: Self → Self. ${fix}`,
    ],
    [
      'through another one',
      app({ providers: [A, B] }),
      `A (provider of AppModule): it needs itself: A → B → A. ${fix}`,
    ],
    [
      'through two others, without those that merely lead to them',
      app({ providers: [Outer, X, Y, Z] }),
      `X (provider of AppModule): it needs itself: X → Y → Z → X. ${fix}`,
    ],
    [
      'through a token',
      app({ providers: [bind(Clock, provider('SystemClock', { clock: Clock }) as never)] }),
      `SystemClock (provider of AppModule): it needs itself: SystemClock → SystemClock. ${fix}`,
    ],
    [
      'through transients, one of which lives for a request',
      () => {
        const P: Token<unknown> = provider('P', { q: lazy(() => Q) }, 'transient')
        const Q: Token<unknown> = provider('Q', { p: P, request: HttpRequest }, 'transient')
        const user = provider('User', { p: P })
        return app({ providers: [P, Q, user] })()
      },
      `P (provider of AppModule): it needs itself: P → Q → P. ${fix}`,
      'User (provider of AppModule): it is a singleton and injects HttpRequest, which lives for one request ' +
        "(User → P → Q → HttpRequest). Give User scope: 'request', or pass HttpRequest as an argument [scope_mismatch]",
    ],
    [
      'across modules that import each other',
      () => {
        const first: AnyModule = moduleOf({
          name: 'First',
          imports: [lazy(() => second)],
          providers: [A],
          exports: [A],
        })
        const second: AnyModule = moduleOf({ name: 'Second', imports: [first], providers: [B], exports: [B] })
        return app({ imports: [second] })()
      },
      `A (provider of First): it needs itself: A → B → A. ${fix}`,
    ],
  ])
})

describe('a token that a module does not see', () => {
  const who = 'Cars (provider of AppModule): inject.db needs Database:'
  table([
    [
      'and that nothing provides',
      app({ providers: [Cars] }),
      `${who} no module provides it. Add Database to providers of AppModule [missing_provider]`,
    ],
    [
      'and that nothing is bound to',
      app({ providers: [provider('Cars', { clock: Clock })] }),
      'Cars (provider of AppModule): inject.clock needs Clock: no module provides it. Add bind(Clock, …) to providers of AppModule, or import a module that exports Clock [missing_provider]',
    ],
    [
      'because the import does not export it',
      app({ imports: [moduleOf({ name: 'DbModule', providers: [Database] })], providers: [Cars] }),
      `${who} AppModule imports DbModule, which provides Database but does not export it. Add Database to exports of DbModule [missing_provider]`,
    ],
    [
      'because it does not import what exports it',
      app({
        imports: [
          moduleOf({ name: 'DbModule', providers: [Database], exports: [Database] }),
          moduleOf({ name: 'CarsModule', providers: [Cars] }),
        ],
      }),
      'Cars (provider of CarsModule): inject.db needs Database: DbModule exports it, but CarsModule does not import DbModule. Add DbModule to imports of CarsModule [missing_provider]',
    ],
    [
      'because it is neither exported nor imported',
      app({
        imports: [
          moduleOf({ name: 'DbModule', providers: [Database] }),
          moduleOf({ name: 'CarsModule', providers: [Cars] }),
        ],
      }),
      'Cars (provider of CarsModule): inject.db needs Database: DbModule provides it, does not export it, and is not imported by CarsModule. Add Database to exports of DbModule, and DbModule to imports of CarsModule [missing_provider]',
    ],
    [
      'injected by a controller',
      app({ controllers: [controllerWith({ cars: Database })] }),
      'car.get: GET /car: inject.cars needs Database: no module provides it. Add Database to providers of AppModule [missing_provider]',
    ],
    [
      'injected by three routes of one controller',
      app({
        controllers: [
          defineController({
            name: 'Car',
            inject: { cars: Database },
            routes: (['GET', 'POST', 'PUT'] as const).map((method) => ({ method, handler: () => 1 })),
          }),
        ],
      }),
      'car.get: GET /car: inject.cars needs Database: no module provides it, as in car.post: POST /car and car.put: PUT /car. Add Database to providers of AppModule [missing_provider]',
    ],
    [
      'injected by a guard of two routes, each of which names it',
      app({
        controllers: [
          defineController({
            name: 'Car',
            routes: (['GET', 'POST'] as const).map((method) => ({
              method,
              guards: [needsDatabase],
              handler: () => 1,
            })),
          }),
        ],
      }),
      'guard SignedIn of AppModule: inject.db needs Database: no module provides it. Add Database to providers of AppModule [missing_provider]',
    ],
    [
      'injected by a guard, which sees what the module that lists it sees',
      app({
        imports: [
          moduleOf({
            name: 'CarsModule',
            guards: [needsDatabase],
            controllers: [controllerWith({})],
          }),
        ],
        providers: [Database],
      }),
      'guard SignedIn of CarsModule: inject.db needs Database: AppModule provides it, but modules do not see what those that import them provide. Move Database to a module that CarsModule imports, or to providers of CarsModule [missing_provider]',
    ],
    [
      'injected by an interceptor',
      app({
        interceptors: [
          defineInterceptor({
            name: 'Timing',
            inject: { clock: Clock },
            intercept: (_context, next) => next(),
          }),
        ],
        controllers: [controllerWith({})],
      }),
      'interceptor Timing of AppModule: inject.clock needs Clock: no module provides it. Add bind(Clock, …) to providers of AppModule, or import a module that exports Clock [missing_provider]',
    ],
    [
      'injected by a guard of the application',
      app(
        { controllers: [controllerWith({})] },
        {
          guards: [needsDatabase],
        },
      ),
      'guard SignedIn of AppModule: inject.db needs Database: no module provides it. Add Database to providers of AppModule [missing_provider]',
    ],
    [
      'for it is undefined',
      app({ providers: [provider('Cars', { db: undefined as never })] }),
      'Cars (provider of AppModule): inject.db is undefined. Two files may import each other: write lazy(() => TheToken) [missing_provider]',
    ],
    [
      'for it is no token',
      app({ providers: [provider('Cars', { db: Date as never })] }),
      'Cars (provider of AppModule): inject.db is the function Date. Inject a provider, a token of defineToken, or a built-in one such as HttpRequest [missing_provider]',
    ],
  ])
})

describe('a singleton that injects what lives for one request', () => {
  const Visit = provider('Visit', {}, 'request')
  const Helper = provider('Helper', { visit: Visit }, 'transient')
  const Far = provider('Far', { helper: Helper }, 'transient')
  const singleton = (inject: Readonly<Record<string, Token<unknown>>>) => provider('Cars', inject)
  const mend = (name: string) => `Give Cars scope: 'request', or pass ${name} as an argument [scope_mismatch]`
  const who = 'Cars (provider of AppModule): it is a singleton and injects'
  table([
    [
      'directly',
      app({ providers: [Visit, singleton({ visit: Visit })] }),
      `${who} Visit, which lives for one request. ${mend('Visit')}`,
    ],
    [
      'through a transient',
      app({ providers: [Visit, Helper, singleton({ helper: Helper })] }),
      `${who} Visit, which lives for one request (Cars → Helper → Visit). ${mend('Visit')}`,
    ],
    [
      'through two transients',
      app({ providers: [Visit, Helper, Far, singleton({ far: Far })] }),
      `${who} Visit, which lives for one request (Cars → Far → Helper → Visit). ${mend('Visit')}`,
    ],
    [
      'which is built in',
      app({ providers: [singleton({ request: HttpRequest, context: ExecutionContext })] }),
      `${who} HttpRequest, which lives for one request. ${mend('HttpRequest')}`,
      `${who} ExecutionContext, which lives for one request. ${mend('ExecutionContext')}`,
    ],
    [
      'which is built in, through a transient',
      app({ providers: [provider('Url', { request: HttpRequest }, 'transient'), singleton({})] }),
    ],
  ])
})

describe('a bad list of providers or exports', () => {
  const dbModule = moduleOf({ name: 'DbModule', providers: [Database], exports: [Database] })
  table([
    [
      'provides a token twice',
      app({ providers: [Database, bind(Database, { value: 'other' })] }),
      'AppModule: providers has Database twice. Keep one of them [duplicate_provider]',
    ],
    [
      'provides something else',
      app({ providers: [Date] }),
      'AppModule: providers[0] is the function Date. Pass the result of defineProvider, bind(token, provider) or bind(token, { value }) [invalid_field]',
    ],
    [
      'exports a token that the module does not have',
      app({ exports: [Database] }),
      'AppModule: exports names Database, which the module neither provides nor imports. Add Database to providers, or remove it from exports [unknown_export]',
    ],
    [
      'exports a module that is not imported',
      app({ exports: [dbModule] }),
      'AppModule: exports names DbModule, which the module does not import. Add DbModule to imports too [unknown_export]',
    ],
    [
      'exports something else',
      app({ exports: ['Database'] }),
      'AppModule: exports[0] is a string of 8 characters. List providers, tokens and imported modules, as in exports: [CarService] [unknown_export]',
    ],
    [
      'gets a token from two imports',
      app({
        imports: [dbModule, moduleOf({ name: 'OtherModule', providers: [Database], exports: [Database] })],
        providers: [Cars],
      }),
      'AppModule: Database comes from DbModule and from OtherModule. Export it from one of them, or import only one [ambiguous_provider]',
    ],
    [
      'gets a token from two modules that an import passes on',
      () => {
        const other = moduleOf({ name: 'OtherModule', providers: [Database], exports: [Database] })
        const both = moduleOf({ imports: [dbModule, other], exports: [dbModule, other] })
        return app({ imports: [both], providers: [Cars] })()
      },
      'AppModule: Database comes from DbModule and from OtherModule. Export it from one of them, or import only one [ambiguous_provider]',
    ],
    [
      'gets a token from two global modules',
      app({
        imports: [
          moduleOf({ name: 'One', global: true, providers: [Database], exports: [Database] }),
          moduleOf({ name: 'Two', global: true, providers: [Database], exports: [Database] }),
          moduleOf({ name: 'CarsModule', providers: [Cars] }),
        ],
      }),
      'CarsModule: Database comes from One and from Two. Export it from one of them, or import only one [ambiguous_provider]',
    ],
  ])
})

describe('an import that is no module', () => {
  const later = 'Call it if it returns one; write lazy(() => SomeModule) if it is defined later'
  const other = 'Pass the result of defineModule, or a promise of it'
  const ready = (imported: unknown) => async () => {
    const made = app({ imports: [imported] })()
    await made.ready()
  }
  table([
    [
      'is a function',
      app({ imports: [() => moduleOf({})] }),
      `AppModule: imports[0] is a function without a name, not a module. ${later} [invalid_import]`,
    ],
    [
      'is undefined',
      app({ imports: [moduleOf({}), undefined] }),
      'AppModule: imports[1] is undefined, not a module. Two files may import each other: write lazy(() => SomeModule) in one of them [invalid_import]',
    ],
    [
      'is a controller',
      app({ imports: [controllerWith({})] }),
      'AppModule: imports[0] is the controller CarController, not a module. Move it to controllers [invalid_import]',
    ],
    [
      'is a provider',
      app({ imports: [Database] }),
      'AppModule: imports[0] is the provider Database, not a module. Move it to providers [invalid_import]',
    ],
    [
      'is a string',
      app({ imports: ['DbModule'] }),
      `AppModule: imports[0] is a string of 8 characters, not a module. ${other} [invalid_import]`,
    ],
    [
      'is null',
      app({ imports: [null] }),
      `AppModule: imports[0] is null, not a module. ${other} [invalid_import]`,
    ],
    [
      'is another object',
      app({ imports: [{}] }),
      `AppModule: imports[0] is an empty object, not a module. ${other} [invalid_import]`,
    ],
    [
      'is a promise of another object',
      ready(Promise.resolve({ default: moduleOf({}) })),
      `AppModule: imports[0] is a promise of an object with default, not a module. ${other} [invalid_import]`,
    ],
    [
      'is a promise of a provider',
      ready(Promise.resolve(Database)),
      'AppModule: imports[0] is a promise of the provider Database, not a module. Move it to providers [invalid_import]',
    ],
    [
      'is a lazy undefined',
      app({ imports: [lazy(() => undefined as unknown as AnyModule)] }),
      'AppModule: imports[0] is undefined, not a module. Two files may import each other: write lazy(() => SomeModule) in one of them [invalid_import]',
    ],
  ])
})

describe('an override or a dropped guard without effect', () => {
  const SignedIn = defineGuard({ name: 'SignedIn', canActivate: () => true })
  const fix = 'Remove it, or bind the very object that the modules name [unused_override]'
  table([
    [
      'replaces a provider that nothing provides',
      app({}, { overrides: [bind(Database, { value: 'fake' })] }),
      `createApp: overrides replaces Database, which is neither provided nor used. ${fix}`,
    ],
    [
      'replaces a guard that guards nothing',
      app({}, { overrides: [bind(SignedIn, SignedIn)] }),
      `createApp: overrides replaces SignedIn, which is neither provided nor used. ${fix}`,
    ],
    [
      'drops a guard that does not guard the route',
      app({
        controllers: [
          defineController({
            name: 'CarController',
            routes: [{ method: 'GET', withoutGuards: [SignedIn], handler: () => null }],
          }),
        ],
      }),
      'car.get: GET /car: withoutGuards names SignedIn, which does not guard this route. Remove it, or name the very object that the levels above list under guards [unused_without_guards]',
    ],
  ])
})

describe('Session without a session', () => {
  const User = z.object({ user: z.string().optional() })
  table([
    [
      'because the application has none',
      app({ controllers: [controllerWith({ session: Session })] }),
      'car.get: GET /car: it injects Session, and the application has no sessions. Give createApp the option session: { secret } [missing_session]',
    ],
    [
      'because it is read by another schema',
      app(
        { controllers: [controllerWith({ session: Session.of(User) })] },
        { session: { secret: 'a secret of at least 32 characters', schema: z.object({}) } },
      ),
      'car.get: GET /car: it injects Session.of with another schema than the option session. Use the same schema object in both places [missing_session]',
    ],
    [
      'in a provider',
      app({ providers: [provider('Basket', { session: Session }, 'request')] }),
      'Basket (provider of AppModule): it injects Session, and the application has no sessions. Give createApp the option session: { secret } [missing_session]',
    ],
  ])
})
