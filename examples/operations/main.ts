/*
 * One instance of the API of orders. `npm run operations` starts three of them with everything that they need.
 */
import { createOrdersApp } from './app.ts'
import { readEnvironment, Settings } from './settings.ts'

const environment = readEnvironment()
const app = createOrdersApp(environment)
await app.listen({ port: Settings.parse(environment).port, host: '0.0.0.0' })
