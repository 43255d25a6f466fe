import type { App } from 'octavo'

import { openExpress, openFastify, openHono, type Listening, type Seen } from './apps.ts'
import { openNest } from './nest.ts'

/** Opens the same API of each framework. */
export const FRAMEWORKS: Readonly<Record<string, (versions: App, seen: Seen) => Promise<Listening>>> = {
  'Express 4, with its parser in front': openExpress('express-4', 'before'),
  'Express 4, with its parser behind': openExpress('express-4', 'after'),
  'Express 5, with its parser in front': openExpress('express', 'before'),
  'Express 5, with its parser behind': openExpress('express', 'after'),
  'Fastify 4': openFastify('fastify-4'),
  'Fastify 5': openFastify('fastify'),
  'Hono 4': openHono,
  'NestJS 10 on Express': openNest('nest-10', 'express'),
  'NestJS 11 on Express': openNest('nest-11', 'express'),
  'NestJS 12 on Express': openNest('nest-12', 'express'),
  'NestJS 10 on Fastify': openNest('nest-10', 'fastify'),
  'NestJS 11 on Fastify': openNest('nest-11', 'fastify'),
  'NestJS 12 on Fastify': openNest('nest-12', 'fastify'),
}
