/** Starts an application of 200 routes and 200 changes in so many versions, and prints what that took: `node --expose-gc start.js 100`. */
import { z } from 'zod'

import { defineVersionChange, defineVersions, model, reshape } from '../../src/changes/index.ts'
import { createApp, defineController, defineModule, VersioningSchemes } from '../../src/index.ts'

/** What a start took. */
export interface Started {
  /** Milliseconds until `ready()` resolved. */
  readonly milliseconds: number
  /** The same in all threads, which the garbage collector and the compiler have. */
  readonly processor: number
  readonly mebibytes: number
}

const COUNT = Number(process.argv[2])
const MODELS = 50
const CHANGES = 200
const CONTROLLERS = 10
const ROUTES = 20

const models = Array.from({ length: MODELS }, (_, index) =>
  model(`M${index}`, {
    id: z.string(),
    a0: z.string(),
    a1: z.string(),
    a2: z.string(),
    a3: z.string(),
    count: z.number(),
  }),
)
const versions = Array.from({ length: COUNT }, (_, index) => String(COUNT - index))
/** Each touches one field that no other one touches. */
const changes = Array.from({ length: COUNT === 1 ? 0 : CHANGES }, (_, index) =>
  defineVersionChange({
    version: String(2 + (index % (COUNT - 1))),
    title: `change ${index}`,
    change: [
      reshape({
        of: models[index % MODELS] ?? models[0],
        fields: { [`a${Math.floor(index / MODELS)}`]: { was: `b${index}` } },
      } as never),
    ],
  }),
)
const controllers = Array.from({ length: CONTROLLERS }, (_, controller) =>
  defineController({
    prefix: `/c${controller}`,
    routes: Array.from({ length: ROUTES }, (__, route) => {
      const own = models[(controller * ROUTES + route) % MODELS]
      const isRead = route % 2 === 1
      return {
        method: isRead ? 'GET' : 'POST',
        path: `/r${route}`,
        name: `r${route}`,
        response: own,
        ...(isRead ? {} : { input: { body: own } }),
        handler: () => ({}),
      } as never
    }),
  }),
)

const before = heap()
const history = defineVersions({
  versions,
  models: Object.fromEntries(models.map((each, index) => [`M${index}`, each])),
  changes,
} as never)
const app = createApp(defineModule({ controllers }), {
  logger: false,
  versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history } as never,
})
const start = performance.now()
const used = process.cpuUsage()
await app.ready()
const { user, system } = process.cpuUsage(used)
const started: Started = {
  milliseconds: performance.now() - start,
  processor: (user + system) / 1000,
  mebibytes: heap() - before,
}
console.log(JSON.stringify(started))
await app.close()

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
}
