import { createEdgeApp, defineController, defineModule } from 'octavo/edge'

/** The worker that is measured: one route with a typed parameter. */
const controller = defineController({
  prefix: '/cars',
  routes: [{ method: 'GET', path: '/{id:int}', handler: ({ params }) => params }],
})
const app = createEdgeApp(defineModule({ controllers: [controller] }), { logger: false })

export const { fetch } = app
