import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'

import { defineController, HttpRequest } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const controller = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'POST',
      path: '/',
      input: { body: z.object({ name: z.string() }), inject: { request: HttpRequest } },
      handler: ({ body, inject: { request } }) => ({ ...body, ip: request.ip, protocol: request.protocol }),
    },
  ],
})
const app = serve(controller, { bodyLimit: 100 })

/** Calls `app.handler` as serverless-http does: the socket is an object, and the response knows nothing of its request but the method. */
async function invoke(text: string) {
  const request = new IncomingMessage(new Socket())
  const socket = { remoteAddress: '203.0.113.7', encrypted: true, readable: true, destroy: () => undefined }
  Object.assign(request, {
    socket,
    method: 'POST',
    url: '/car',
    complete: true,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    rawHeaders: [],
    headers: {
      host: 'api.example.com',
      'content-type': 'application/json',
      'content-length': String(text.length),
    },
  })
  request.push(text)
  request.push(null)
  // types say more than is there
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const response = new ServerResponse({ method: 'POST' } as IncomingMessage)
  let written = ''
  const connection = {
    writable: true,
    on: () => undefined,
    removeListener: () => undefined,
    destroy: () => undefined,
    cork: () => undefined,
    uncork: () => undefined,
  }
  const write = (data: unknown, encoding: unknown, done?: unknown): void => {
    written += String(data)
    for (const callback of [encoding, done]) if (typeof callback === 'function') callback()
  }
  // its connection is an object, too
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  response.assignSocket({ ...connection, _writableState: {}, write } as unknown as Socket)
  const finished = new Promise((resolve) => response.once('finish', resolve))
  app.handler(request, response)
  await finished
  return { status: response.statusCode, body: JSON.parse(written.slice(written.indexOf('\r\n\r\n') + 4)) }
}

describe('adapters for Lambda over app.handler', () => {
  it('get bodies through', async () => {
    assert.deepEqual(await invoke('{"name":"Ford"}'), {
      status: 200,
      body: { name: 'Ford', ip: '203.0.113.7', protocol: 'https' },
    })
  })

  it('get the answer to a body that is too long', async () => {
    const { status, body } = await invoke(`{"name":"${'a'.repeat(100)}"}`)
    assert.deepEqual([status, body.code], [413, 'body_too_large'])
  })
})
