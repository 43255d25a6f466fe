import { createApp, defineController, defineModule } from 'octavo'

const hello = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', handler: () => ({ message: 'Hello, world' }) },
    { method: 'GET', path: '/{name}', handler: ({ params }) => ({ message: `Hello, ${params.name}` }) },
  ],
})

export const app = createApp(defineModule({ controllers: [hello] }))

if (process.argv[1] === import.meta.filename) await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
