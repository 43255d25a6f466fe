import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { defineController, FileStream, FileStreams } from 'octavo'
import { z } from 'zod'

import { createTestApp } from '../node/support.ts'
import { createFolder, fieldPart, filePart, MULTIPART, toBytes } from './uploads-support.ts'

const folder = createFolder()
after(folder.remove)

async function count(file: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of file) size += chunk.length
  return size
}

const app = createTestApp(
  defineController({
    prefix: '/up',
    routes: [
      {
        method: 'POST',
        path: '/kept',
        input: {
          form: { a: z.string(), n: z.array(z.number()).optional() },
          files: { f: z.array(z.file()), g: z.file().mime(['image/gif']).optional() },
        },
        handler: async ({ files }) => Promise.all(files.f.map((file) => file.text())),
      },
      {
        method: 'POST',
        path: '/loose',
        input: { form: z.looseObject({}), files: z.looseObject({}) },
        handler: () => 'done',
      },
      {
        method: 'POST',
        path: '/one',
        input: { form: { a: z.string().optional() }, files: { f: z.instanceof(FileStream) } },
        handler: ({ files }) => count(files.f),
      },
      {
        method: 'POST',
        path: '/several',
        input: { files: { f: z.instanceof(FileStreams) } },
        handler: async ({ files }) => {
          const sizes: number[] = []
          for await (const file of files.f) sizes.push(await count(file))
          return sizes
        },
      },
      {
        method: 'POST',
        path: '/half',
        input: { files: { f: z.instanceof(FileStream).optional() } },
        handler: async ({ files }) => {
          for await (const chunk of files.f ?? []) if (chunk.length > 0) break
          return 'half'
        },
      },
    ],
  }),
  {
    uploads: { memory: 50, directory: folder.path, fileSize: 400_000, files: 6, fields: 6 },
    bodyLimit: 500_000,
  },
)
after(() => app.close())
const PATHS = ['kept', 'loose', 'one', 'several', 'half']

/** Whole numbers below a bound, the same in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const BODIES = [
  toBytes([
    fieldPart('a', 'x'),
    fieldPart('n', '1'),
    filePart('f', 'one.txt', 'x'.repeat(300)),
    filePart('g', 'g.gif', 'GIF89a', 'image/gif'),
  ]),
  toBytes([
    filePart('f', 'one', '\r\n--boun\r\n--'),
    filePart('f', 'two', 'y'.repeat(70_000)),
    fieldPart('a', ''),
  ]),
  toBytes([
    fieldPart('__proto__', 'x'),
    filePart('constructor', '../f', 'x'),
    fieldPart('a', 'é'),
    filePart('f', '', ''),
  ]),
  toBytes([]),
]
/** What a mutation puts somewhere. */
const PIECES = [
  '--bound',
  '--bound--',
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\0',
  '"',
  ';',
  '=',
  '--',
  '\u00ff\u00fe',
  'Content-Disposition: form-data; name="f"; filename="z"',
  'Content-Type: multipart/mixed',
  'Content-Transfer-Encoding: base64',
  'x'.repeat(20_000),
  '\r\n--bound\r\n',
  `\r\n--bound\r\nContent-Disposition: form-data; name=f; filename=q\r\n\r\n`,
].map((piece) => Buffer.from(piece, 'latin1'))

function mutate(body: Buffer, random: (below: number) => number): Buffer {
  let mutated = body
  for (let times = 1 + random(4); times > 0; times--) {
    const at = random(mutated.length + 1)
    const end = Math.min(mutated.length, at + random(60))
    const piece = PIECES[random(PIECES.length)] ?? Buffer.alloc(0)
    const [before, cut, rest] = [mutated.subarray(0, at), mutated.subarray(at, end), mutated.subarray(end)]
    const choices = [
      [before],
      [before, rest],
      [before, cut, cut, rest],
      [before, piece, cut, rest],
      [before, piece, rest],
      [before, Buffer.from([random(256)]), cut.subarray(1), rest],
    ]
    mutated = Buffer.concat(choices[random(choices.length)] ?? [])
  }
  return mutated
}

describe('multipart bodies with changes at random', () => {
  const ROUNDS = 120
  const WITHIN = 20_000

  for (const path of PATHS) {
    it(`are answered with 200 or 4xx and leave nothing: /${path}, ${ROUNDS} of them`, async () => {
      const random = createRandom(path.length * 7919)
      const statuses = new Set<number>()
      for (let round = 0; round < ROUNDS; round++) {
        const body = mutate(BODIES[round % BODIES.length] ?? Buffer.alloc(0), random)
        const signal = AbortSignal.timeout(WITHIN)
        const response = await app.inject({
          method: 'POST',
          url: `/up/${path}`,
          headers: MULTIPART,
          body,
          signal,
        })
        statuses.add(response.statusCode)
        const isRight = response.statusCode === 200 || [400, 413, 422].includes(response.statusCode)
        assert.ok(isRight, `${response.statusCode} in round ${round}: ${response.body}`)
        assert.deepEqual(folder.list(), [], `round ${round}`)
      }
      assert.ok(statuses.has(200) && statuses.has(400), `statuses ${[...statuses].join(' ')}`)
    })
  }
})
