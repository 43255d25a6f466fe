import { createApp, defineController, defineModule, VERSION_NEUTRAL } from 'octavo'

declare const wide: string

const wordController = defineController({
  name: 'WordController',
  routes: [
    { method: 'GET', name: 'getOne', version: 'latest', handler: () => 1 },
    { method: 'GET', path: '/list', name: 'list', version: 'next', handler: () => 1 },
    { method: 'GET', path: '/nameless', version: 'v1', handler: () => 1 },
    { method: 'GET', path: '/{id:int}', name: 'digits', version: '2026-01-01', handler: () => 1 },
    { method: 'GET', path: '/range', name: 'range', version: '>=1 <2', handler: () => 1 },
    { method: 'GET', path: '/several', name: 'several', version: ['3', 'stable'], handler: () => 1 },
    { method: 'GET', path: '/neutral', name: 'neutral', version: VERSION_NEUTRAL, handler: () => 1 },
    { method: 'GET', path: '/wide', name: 'wide', version: wide, handler: () => 1 },
  ],
})

/** A version is never taken for the name of its route. */
export function names(): void {
  const app = createApp(defineModule({ controllers: [wordController] }))
  app.urlFor('word.getOne')
  app.urlFor('word.list')
  app.urlFor('word.digits', { id: 1 })
  app.urlFor('word.range')
  app.urlFor('word.several')
  app.urlFor('word.neutral')
  app.urlFor('word.wide')
  // @ts-expect-error -- a version
  app.urlFor('word.latest')
  // @ts-expect-error -- a version
  app.urlFor('word.next')
  // @ts-expect-error -- a version
  app.urlFor('word.v1')
  // @ts-expect-error -- what is left of a version
  app.urlFor('word.ext')
  // @ts-expect-error -- a version
  app.urlFor('word.2026-01-01')
  // @ts-expect-error -- a version
  app.urlFor('word.stable')
}
