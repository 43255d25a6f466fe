import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, describe, it } from 'node:test'

import { defineController, FileStream } from 'octavo'
import { z } from 'zod'

import { createFolder, fieldPart, toBytes } from '../app/uploads-support.ts'
import { createTestApp, LOOPBACK } from './support.ts'

const MiB = 1_048_576
const folder = createFolder()
after(folder.remove)

const controller = defineController({
  prefix: '/up',
  routes: [
    {
      method: 'POST',
      path: '/read',
      input: { form: { title: z.string() }, files: { video: z.instanceof(FileStream) } },
      handler: async ({ files }) => {
        let size = 0
        for await (const chunk of files.video) size += chunk.length
        return { size }
      },
    },
    {
      method: 'POST',
      path: '/kept',
      input: { files: { a: z.array(z.file()) } },
      handler: async ({ files }) => files.a.map(({ size }) => size),
    },
  ],
})
const app = createTestApp(controller, {
  bodyLimit: 512 * MiB,
  uploads: { memory: MiB, directory: folder.path },
  timeouts: { grace: 200 },
})
const url = await app.listen(LOOPBACK)
after(() => app.close())

const HEAD = toBytes([fieldPart('title', 'x')], '')
const fileHead = (name: string): Buffer =>
  Buffer.from(
    `--bound\r\nContent-Disposition: form-data; name="${name}"; filename="v.mp4"\r\nContent-Type: video/mp4\r\n\r\n`,
  )
const END = Buffer.from('\r\n--bound--\r\n')
const CHUNK = Buffer.alloc(65_536, 'v')

/** Sends a file of so many bytes from a process of its own, whose memory does not count; gives the answer. */
async function sendFromOutside(path: string, name: string, size: number): Promise<string> {
  const program = `
    const [url, head, end, boundary, count] = process.argv.slice(1)
    const chunk = Buffer.alloc(65_536, 'v')
    const headers = { 'content-type': 'multipart/form-data; boundary=' + boundary }
    const request = require('node:http').request(url, { method: 'POST', headers })
    request.on('response', (response) => response.pipe(process.stdout))
    request.write(Buffer.from(head, 'latin1'))
    let left = Number(count)
    const send = () => (left-- > 0 ? request.write(chunk, send) : request.end(Buffer.from(end, 'latin1')))
    send()`
  const head = Buffer.concat([HEAD, fileHead(name)]).toString('latin1')
  const values = [`${url}/up${path}`, head, END.toString('latin1'), 'bound', String(size / CHUNK.length)]
  const child = spawn(process.execPath, ['--eval', program, '--', ...values])
  let answer = ''
  for await (const text of child.stdout.setEncoding('utf8')) answer += text
  return answer
}

describe('memory', () => {
  const SIZE = 200 * MiB
  const LIMIT = 32 * MiB

  for (const [title, path, name] of [
    ['a file that is read as it arrives', '/read', 'video'],
    ['a file that goes to the disk', '/kept', 'a'],
  ] as const) {
    it(`stays bounded with ${title}: 200 MiB`, async () => {
      // what Node lets lie of what sockets have read, until it collects, is there with any body
      await sendFromOutside(path, name, SIZE / 2)
      const before = process.memoryUsage().rss
      let most = before
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
      const answer = await sendFromOutside(path, name, SIZE)
      clearInterval(timer)
      assert.match(answer, new RegExp(`\\b${SIZE}\\b`))
      assert.ok(most - before < LIMIT, `${Math.round((most - before) / MiB)} MiB more`)
    })
  }
})
