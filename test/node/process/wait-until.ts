/** An application whose work after a response ends a moment after SIGTERM. */
import { createApp, defineController, defineModule, text } from 'octavo'

const work = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGTERM', () => setTimeout(resolve, 50))
  })

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      handler: (_input, { waitUntil }) => {
        waitUntil(work().then(() => console.log('work is done')))
        return text('begun')
      },
    },
  ],
})

await createApp(defineModule({ controllers: [controller] })).listen({ port: 0, host: '127.0.0.1' })
