import { setTimeout as delay } from 'node:timers/promises'

import { defineController, defineModule, defineProvider } from 'octavo'

import type { Alive } from './alive.ts'
import { Car } from './cars.ts'

// routes with something that lives for the request, and is counted while it does
export function createScoped(alive: Alive) {
  const Unit = defineProvider({
    name: 'Unit',
    scope: 'request',
    create: async () => {
      await delay(0)
      alive.scopes++
      return { started: true }
    },
    dispose: async () => {
      await delay(0)
      alive.scopes--
    },
  })
  const scoped = defineController({
    prefix: '/scoped',
    inject: { unit: Unit },
    routes: [
      { method: 'GET', handler: ({ inject }) => inject.unit },
      { method: 'POST', input: { body: Car }, handler: ({ inject }) => inject.unit },
    ],
  })
  return defineModule({ name: 'ScopedModule', providers: [Unit], controllers: [scoped] })
}
