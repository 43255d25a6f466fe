// oxlint-disable-next-line import/no-unassigned-import -- Nest's decorators need what it adds to Reflect
import 'reflect-metadata'

import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  StandardSchemaValidationPipe,
  UnauthorizedException,
  UseGuards,
  Version,
  VersioningType,
} from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'

import type { Serve } from '../contestants.ts'
import { CATALOGUE, TOKEN } from '../scenarios.ts'
import { CarPath, CarQuery, NewCar } from '../schemas.ts'

@Injectable()
class HasToken implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>()
    if (headers.authorization !== TOKEN) throw new UnauthorizedException()
    return true
  }
}

@Controller('cars')
class CarsController {
  @Get(':id')
  show(@Param({ schema: CarPath }) { id }: z.infer<typeof CarPath>) {
    return { id, name: `Car ${id}` }
  }

  @Get()
  list(@Query({ schema: CarQuery }) query: z.infer<typeof CarQuery>) {
    return query
  }

  @Post()
  add(@Body({ schema: NewCar }) body: z.infer<typeof NewCar>) {
    return { id: 1, ...body }
  }
}

@Controller()
class OthersController {
  @Get('hello')
  hello() {
    return { hello: 'world' }
  }

  @Version('1')
  @Get('garage')
  firstGarage() {
    return { version: 1 }
  }

  @Version('2')
  @Get('garage')
  secondGarage() {
    return { version: 2, doors: ['left', 'right'] }
  }

  @Get('catalogue')
  catalogue() {
    return CATALOGUE
  }

  @UseGuards(HasToken)
  @Get('private')
  secret() {
    return { user: 'Ann' }
  }
}

@Module({ controllers: [CarsController, OthersController] })
// oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is a class, and this one is all in its decorator
class AppModule {}

/** Documented at https://docs.nestjs.com/techniques/performance, /techniques/versioning and, with Standard Schema, /pipes. */
export const serve: Serve = async () => {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    logger: ['error', 'warn'],
  })
  app.useGlobalPipes(new StandardSchemaValidationPipe({ errorHttpStatusCode: 422 }))
  app.enableVersioning({ type: VersioningType.HEADER, header: 'x-api-version' })
  await app.listen(0, '127.0.0.1')
  return Number(new URL(await app.getUrl()).port)
}
