import { defineController } from 'octavo'

import { createGate, createTestApp } from './support.ts'

/** The program that the signal tests run: it prints its URL, and `entered` for each request under way. */
const gate = createGate()
const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/slow',
        handler: async () => {
          process.stdout.write('entered\n')
          await gate.opened
          return 'slow'
        },
      },
    ],
  }),
  { timeouts: { grace: 60_000 } },
)
process.stdin.once('data', gate.open)
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
