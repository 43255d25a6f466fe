import { defineController, defineModule } from 'octavo/edge'
import type { Module } from 'octavo/edge'

import { closing } from '../app.ts'

/** Adds the route that closes another application, while it answers. */
export function withClosing(
  module: Module<unknown, unknown>,
  create: () => Parameters<typeof closing>[0],
): Module<unknown, unknown> {
  const routes = [{ method: 'POST', handler: () => closing(create()) }] as const
  return defineModule({ imports: [module], controllers: [defineController({ prefix: '/closing', routes })] })
}
