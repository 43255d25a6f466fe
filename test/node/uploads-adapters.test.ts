import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import { defineController, FileStream, stream } from 'octavo'
import { z } from 'zod'

import { createFolder, fieldPart, filePart, MULTIPART, toBytes } from '../app/uploads-support.ts'
import { ADAPTERS } from './parity/adapters.ts'
import type { Sent } from './parity/adapters.ts'
import { createTestApp } from './support.ts'

const folder = createFolder()
after(folder.remove)

const video = { video: z.instanceof(FileStream) }
const controller = defineController({
  prefix: '/up',
  routes: [
    {
      method: 'POST',
      path: '/kept',
      input: { form: { title: z.string() }, files: { video: z.file() } },
      handler: ({ form, files }) => `${form.title} ${files.video.size}`,
    },
    {
      method: 'POST',
      path: '/read',
      input: { files: video },
      handler: async ({ files }) => {
        let size = 0
        for await (const chunk of files.video) size += chunk.length
        return size
      },
    },
    {
      method: 'POST',
      path: '/half',
      input: { files: video },
      handler: async ({ files }) => {
        for await (const chunk of files.video) if (chunk.length > 0) break
        return 'half'
      },
    },
    { method: 'POST', path: '/never', input: { files: video }, handler: () => 'never' },
    {
      method: 'POST',
      path: '/checked',
      input: { files: { video: z.instanceof(FileStream).refine(({ type }) => type === 'video/mp4') } },
      handler: () => 'never',
    },
    {
      method: 'POST',
      path: '/other',
      input: { files: video },
      handler: () => stream(['not', ' read'].map((text) => Buffer.from(text))),
    },
    { method: 'POST', path: '/echo', input: { files: video }, handler: ({ files }) => stream(files.video) },
  ],
})

const SIZE = 400_000
const whole = toBytes([fieldPart('title', 'x'), filePart('video', 'v', 'v'.repeat(SIZE))])
const cut = whole.subarray(0, SIZE)
const inPieces = (bytes: Buffer): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / 10_000) }, (_, at) =>
    bytes.subarray(at * 10_000, (at + 1) * 10_000),
  )

const rows: readonly (readonly [path: string, body: Buffer, status: number, answer: RegExp])[] = [
  ['/kept', whole, 200, /^"x 400000"$/],
  ['/kept', cut, 400, /malformed_multipart/],
  ['/read', whole, 200, /^400000$/],
  ['/read', cut, 400, /malformed_multipart/],
  ['/half', whole, 200, /^"half"$/],
  ['/never', whole, 200, /^"never"$/],
  ['/checked', whole, 422, /validation_failed/],
  ['/other', whole, 200, /^not read$/],
  ['/echo', whole, 200, /^v{400000}$/],
]

/** Adapters that read a body as another one does, which has all of parity.test.ts in common with it. */
const ALIKE = ['client()', 'fetch of an https URL', 'listen on kept connections', 'listen on a Unix socket']

describe('an upload', () => {
  for (const adapter of ADAPTERS.filter(({ name }) => !ALIKE.includes(name))) {
    it(`is answered in the same way through ${adapter.name}`, async () => {
      const app = createTestApp(controller, {
        uploads: { memory: 1000, directory: folder.path },
        timeouts: { grace: 100 },
      })
      const { send, close } = await adapter.open(app)
      try {
        for (const [at, [path, bytes, status, answer]] of rows.entries()) {
          const body = at % 2 === 0 ? inPieces(bytes) : bytes
          const sent: Sent = { method: 'POST', path: `/up${path}`, headers: MULTIPART, body }
          const seen = await send(sent)
          assert.equal(seen.status, status, `${path}: ${seen.body.toString().slice(0, 200)}`)
          assert.match(seen.body.toString(), answer, path)
        }
        const headers = { ...MULTIPART, 'content-encoding': 'gzip' }
        for (const path of ['/read', '/half']) {
          const seen = await send({ method: 'POST', path: `/up${path}`, headers, body: gzipSync(whole) })
          assert.equal(seen.status, 200, seen.body.toString())
        }
      } finally {
        await close()
        await app.close()
      }
      assert.deepEqual(folder.list(), [])
    })
  }
})
