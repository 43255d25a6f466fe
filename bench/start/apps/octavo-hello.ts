import { createApp, defineController, defineModule } from 'octavo'

import { report } from './report.ts'

const hello = defineController({
  prefix: '/hello',
  routes: [{ method: 'GET', path: '/', handler: () => 'hello' }],
})
const app = createApp(defineModule({ controllers: [hello] }), { logger: false })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
await report(Number(new URL(url).port))
