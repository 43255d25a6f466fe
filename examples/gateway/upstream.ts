import { defineUpstream } from 'octavo/upstream'

/** The API of the other team: the Express application in `garage`. */
export const garage = defineUpstream({
  name: 'Garage',
  url: () => process.env['GARAGE_URL'],
  prefix: '/api',
  checkPath: '/cars',
})
