import { defineVersionChange, defineVersions, operation, reshape } from 'octavo/changes'

import { Car } from './models.ts'

/** The team behind has renamed a parameter. Its clients have not. */
export const size = defineVersionChange({
  version: '3',
  title: 'The limit of a list is its size',
  change: [operation({ route: 'cars.list', query: { size: { was: 'limit' } } })],
})

export const brands = defineVersionChange({
  version: '2',
  title: 'The make of a car is its brand',
  change: [reshape({ of: Car, fields: { brand: { was: 'make' } } })],
})

export const history = defineVersions({ versions: ['3', '2', '1'], models: { Car }, changes: [size, brands] })
