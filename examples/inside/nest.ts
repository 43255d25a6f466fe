import type { RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

import { inside } from 'octavo/inside/express'

import { Garage, GarageError } from './garage.ts'
import { versions } from './versions.ts'

export type Decorator = (target: object, name: string, at: never) => void

/** The part of NestJS that is used here. A project of yours imports it from `@nestjs/common` and `@nestjs/core`. */
interface Nest {
  readonly Controller: (path: string) => (target: object) => void
  readonly Module: (options: object) => (target: object) => void
  readonly Catch: () => (target: object) => void
  readonly Get: (path: string) => Decorator
  readonly Post: (path: string) => Decorator
  readonly Put: (path: string) => Decorator
  readonly Patch: (path: string) => Decorator
  readonly Delete: (path: string) => Decorator
  readonly HttpCode: (status: number) => Decorator
  readonly Header: (name: string, value: string) => Decorator
  readonly Param: (name: string) => Decorator
  readonly Query: (name: string) => Decorator
  readonly Body: () => Decorator
  readonly StreamableFile: new (stream: Readable) => object
  readonly NestFactory: { create(module: object, options: object): Promise<NestApp> }
}

interface NestApp {
  use(middleware: unknown): void
  useGlobalFilters(...filters: readonly object[]): void
  init(): Promise<unknown>
  getHttpAdapter(): { getInstance(): RequestListener }
}

/** Adds a method to a controller, as the syntax of decorators does. `params` are those of its parameters, in turn. */
export function addHandler(
  controller: { readonly prototype: object },
  decorators: readonly Decorator[],
  params: readonly Decorator[],
  handler: (...given: never[]) => unknown,
): void {
  const { prototype } = controller
  const name = `handle${Object.getOwnPropertyNames(prototype).length}`
  const descriptor = { value: handler, configurable: true, writable: true }
  Object.defineProperty(prototype, name, descriptor)
  for (const [at, param] of params.entries()) Reflect.apply(param, undefined, [prototype, name, at])
  for (const decorator of decorators) Reflect.apply(decorator, undefined, [prototype, name, descriptor])
}

function createModule(nest: Nest, garage: Garage): object {
  const { Get, Post, Put, Patch, Delete, HttpCode, Header, Param, Query, Body } = nest
  // classes without syntax of their own, because this repository has no decorators
  function Cars(): void {}
  function CarsModule(): void {}
  const add = addHandler.bind(undefined, Cars)
  add([Get('/cars')], [Query('limit')], (limit?: string) => garage.list(Number(limit ?? 20)))
  add([Get('/search')], [Query('q')], (text: string) => garage.search(text))
  add([Post('/cars')], [Body()], (body: unknown) => garage.create(body))
  add([Get('/cars/:id')], [Param('id')], (id: string) => garage.getOne(id))
  add([Put('/cars/:id')], [Param('id'), Body()], (id: string, body: unknown) => garage.replace(id, body))
  add([Patch('/cars/:id')], [Param('id'), Body()], (id: string, body: unknown) => garage.update(id, body))
  add([Delete('/cars/:id'), HttpCode(204)], [Param('id')], (id: string) => garage.remove(id))
  add(
    [Get('/events'), Header('content-type', 'text/event-stream')],
    [],
    () => new nest.StreamableFile(Readable.from(garage.events(), { objectMode: false })),
  )
  add([Get('/owners')], [], () => garage.owners())
  add([Post('/owners')], [Body()], (body: unknown) => garage.createOwner(body))
  add([Get('/owners/:id')], [Param('id')], (id: string) => garage.owner(id))
  add([Put('/owners/:id/cars/:car')], [Param('id'), Param('car')], (id: string, car: string) =>
    garage.sell(id, car),
  )
  nest.Controller('/')(Cars)
  nest.Module({ controllers: [Cars] })(CarsModule)
  return CarsModule
}

/** The response of a platform, as filters use it. */
type Reply = ServerResponse & { status(code: number): { json(body: object): void } }

class Filter {
  catch(error: Error, host: { switchToHttp(): { getResponse(): Reply } }): void {
    const status = error instanceof GarageError ? error.status : 500
    host.switchToHttp().getResponse().status(status).json({ error: error.message })
  }
}

export async function createHandler(): Promise<RequestListener> {
  // a package of the tests, which depends on those of NestJS and has no types
  const name: string = 'nest-12'
  const { default: nest }: { default: Nest } = await import(name)
  nest.Catch()(Filter)
  const app = await nest.NestFactory.create(createModule(nest, new Garage()), { logger: false })
  app.use(inside(versions))
  app.useGlobalFilters(new Filter())
  await app.init()
  return app.getHttpAdapter().getInstance()
}
