/*
 * One instance of the API of orders. `npm run operations` starts three of them with everything that they need.
 */
import { createOrdersApp, release } from './app.ts'
import { readEnvironment, Settings, toListenOptions } from './settings.ts'

const environment = readEnvironment()
const settings = Settings.parse(environment)
// the application uses the SDK that is registered when it is created
const telemetry = settings.otel === 'console' ? await import('./telemetry.ts') : undefined
const app = createOrdersApp(environment, release, telemetry?.stop)
await app.listen({ ...toListenOptions(settings), host: '0.0.0.0' })
