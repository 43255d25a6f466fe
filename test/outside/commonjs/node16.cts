import type { App } from 'octavo' with { 'resolution-mode': 'import' }
// @ts-expect-error TypeScript refuses it with this option (TS1479), though Node loads it
import { defineModule as refused } from 'octavo'

export const AppModule: object = refused({})

export async function createCars(): Promise<App> {
  const { createApp, defineController, defineModule } = await import('octavo')
  const cars = defineController({ prefix: '/cars', routes: [{ method: 'GET', handler: () => ['Ford'] }] })
  return createApp(defineModule({ controllers: [cars] }), { logger: false })
}
