// Nest keeps what decorators say in what this adds to Reflect
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  StandardSchemaValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { z } from 'zod'

import { report } from './report.ts'
import { GROUPS } from './routes.ts'
import type { AppRoute } from './routes.ts'

// Nest takes classes for everything
// oxlint-disable-next-line typescript/no-extraneous-class
const RootModule = class AppModule {}
Module({ controllers: GROUPS.map(toController) })(RootModule)
const app = await NestFactory.create(RootModule, new FastifyAdapter(), { logger: false })
app.useGlobalPipes(new StandardSchemaValidationPipe())
await app.listen(0, '127.0.0.1')
await report(Number(new URL(await app.getUrl()).port))

/** A controller with a method for each route, decorated as the compiler does it. */
function toController(group: readonly AppRoute[]): new () => object {
  // oxlint-disable-next-line typescript/no-extraneous-class
  const Cars = class CarsController {}
  Controller()(Cars)
  for (const route of group) addMethod(Cars.prototype, route)
  return Cars
}

function addMethod(prototype: object, { index, kind, prefix }: AppRoute): void {
  const name = `r${index}`
  const value = (id: string, rest: object): object => ({ id, ...rest })
  const descriptor = { value, writable: true, configurable: true, enumerable: false }
  Object.defineProperty(prototype, name, descriptor)
  Reflect.defineMetadata('design:paramtypes', kind === 'plain' ? [String] : [String, Object], prototype, name)
  Param('id')(prototype, name, 0)
  if (kind === 'query') {
    const schema = z.object({ limit: z.coerce.number().int(), offset: z.coerce.number().int() })
    Query({ schema })(prototype, name, 1)
  }
  if (kind === 'body') {
    const schema = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
    Body({ schema })(prototype, name, 1)
    HttpCode(200)(prototype, name, descriptor)
  }
  const decorate = kind === 'body' ? Post : Get
  decorate(`${prefix}/:id`)(prototype, name, descriptor)
}
