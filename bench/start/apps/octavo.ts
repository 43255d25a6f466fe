import { createApp, defineController, defineModule } from 'octavo'
import { z } from 'zod'

import { report } from './report.ts'
import { GROUPS } from './routes.ts'
import type { AppRoute } from './routes.ts'

const controllers = GROUPS.map((group, index) =>
  defineController({ name: `c${index}`, prefix: '', routes: untyped(group.map(toRoute)) }),
)
const app = createApp(defineModule({ controllers }), { logger: false })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
await report(Number(new URL(url).port))

function toRoute({ index, kind, method, prefix }: AppRoute): RouteOf {
  const route = { method, path: `${prefix}/{id}` as const, name: `r${index}` }
  switch (kind) {
    case 'query': {
      const query = z.object({ limit: z.number().int(), offset: z.number().int() })
      return { ...route, input: { query }, handler: (input) => ({ ...input.params, ...input.query }) }
    }
    case 'body': {
      const body = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
      return { ...route, input: { body }, handler: (input) => ({ ...input.params, ...input.body }) }
    }
    case 'plain':
      return { ...route, handler: ({ params }) => params }
  }
}

/** Routes that are made in a loop have no types of their own. */
function untyped(routes: readonly RouteOf[]): readonly [] {
  return routes as unknown as readonly []
}

interface Given {
  readonly params: object
  readonly query: object
  readonly body: object
}

interface RouteOf {
  readonly method: AppRoute['method']
  readonly path: string
  readonly name: string
  readonly input?: object
  readonly handler: (input: Given) => object
}
