import { defineController } from 'octavo'

/** A route whose id a webhook would have. */
export const controllers = [
  defineController({
    name: 'webhook',
    prefix: '/webhook',
    routes: [{ method: 'POST', path: '/stripe', name: 'stripe', handler: () => 'ok' }],
  }),
]
