import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { host } from 'octavo/inside'

import { history } from './history.ts'
import { Car, NewCar } from './models.ts'

// the routes of your app that change between versions
const cars = defineController({
  prefix: '/cars',
  routes: [
    { method: 'GET', path: '/{id}', name: 'getOne', response: Car, forward: host },
    { method: 'POST', name: 'create', input: { body: NewCar }, response: { 201: Car }, forward: host },
  ],
})

export const versions = createApp(defineModule({ controllers: [cars] }), {
  versioning: {
    scheme: VersioningSchemes.HEADER,
    headerParameter: 'x-api-version',
    history,
    defaultVersion: '2',
  },
  // your app logs its requests
  logger: { ...console, info: () => undefined },
})
