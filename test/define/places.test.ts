import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineProvider } from 'octavo'
import { z } from 'zod'

describe('the place of a definition in a response', () => {
  const route = { method: 'GET', name: 'a', handler: () => 1 } as const
  const twin = () => defineController({ name: 'Twin', routes: [route] })
  const fails = defineProvider({
    name: 'Fails',
    create: () => {
      createApp(
        defineModule({
          controllers: [defineController({ name: 'Car', routes: [{ ...route, name: 'a b' }] })],
        }),
      )
    },
  })
  const undocumented = defineController({
    name: 'Car',
    routes: [
      {
        method: 'GET',
        response: z.string().meta({ id: 'map of cars' }),
        handler: () => 'a',
      },
    ],
  })
  const inner = defineController({
    name: 'Car',
    routes: [
      {
        ...route,
        handler: () => createApp(defineModule({}), { colour: 1 } as object),
      },
    ],
  })
  const cases = [
    [
      'of duplicate routes',
      createApp(defineModule({ controllers: [twin(), twin()] }), { logger: false }),
      '/twin',
    ],
    [
      'of a provider that cannot start',
      createApp(defineModule({ providers: [fails] }), { logger: false }),
      '/',
    ],
    [
      'of a schema that cannot be documented',
      createApp(defineModule({ controllers: [undocumented] }), { logger: false, docs: {} }),
      '/docs/openapi.json',
    ],
    [
      'of an application that a handler creates',
      createApp(defineModule({ controllers: [inner] }), { logger: false }),
      '/car',
    ],
  ] as const

  for (const [title, app, path] of cases) {
    it(`is not told: ${title}`, async () => {
      const server = createServer(app.handler).listen(0)
      try {
        await once(server, 'listening')
        const { port } = server.address() as AddressInfo
        const response = await fetch(`http://127.0.0.1:${port}${path}`)
        const body = await response.text()
        assert.ok(response.status >= 500, `${response.status} ${body}`)
        assert.doesNotMatch(body + JSON.stringify([...response.headers]), /\.ts|places|Twin|Car|map/)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  }
})
