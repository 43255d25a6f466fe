import { readdirSync } from 'node:fs'

import { createApp, defineController, defineModule } from 'octavo'
import { z } from 'zod'

/** A program that ends while a file is uploaded, with the number of files in the folder of uploads. */
const [, , directory = ''] = process.argv
const controller = defineController({
  prefix: '/up',
  routes: [
    {
      method: 'POST',
      input: { files: { a: z.file() } },
      handler: () => process.exit(readdirSync(directory).length),
    },
  ],
})
const app = createApp(defineModule({ controllers: [controller] }), {
  logger: false,
  uploads: { memory: 0, directory },
})
await app.inject({ method: 'POST', url: '/up', multipart: { a: new File(['x'], 'x') } })
