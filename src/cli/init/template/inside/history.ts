import { defineVersionChange, defineVersions, reshape } from 'octavo/changes'

import { Car } from './models.ts'

// clients of version 1 know a title
const names = defineVersionChange({
  version: '2',
  title: 'A car has a name',
  change: [reshape({ of: Car, fields: { name: { was: 'title' } } })],
})

export const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [names] })
