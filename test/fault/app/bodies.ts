import { setTimeout as delay } from 'node:timers/promises'

import { defineController, FileStream, FileStreams, text } from 'octavo'
import { z } from 'zod'

export const bodies = defineController({
  prefix: '/',
  routes: [
    {
      method: ['POST', 'PUT'],
      path: '/text',
      input: { body: z.string() },
      handler: ({ body }) => text(body),
    },
    {
      method: ['POST', 'PUT'],
      path: '/bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => ({ length: body.length }),
    },
    {
      method: ['POST', 'PUT'],
      path: '/form',
      input: {
        form: { name: z.string(), year: z.number().optional(), tags: z.array(z.string()).default([]) },
      },
      handler: ({ form }) => form,
    },
  ],
})

const title = z.string().optional()
const tags = z.array(z.string()).default([])

export const uploads = defineController({
  prefix: '/upload',
  routes: [
    {
      method: 'POST',
      input: {
        form: { title, tags },
        files: { picture: z.file().max(100_000).optional(), file: z.array(z.file()).default([]) },
      },
      handler: async ({ form, files: { picture, file } }) => ({
        ...form,
        picture: picture === undefined ? null : [picture.name, (await picture.arrayBuffer()).byteLength],
        files: file.map(({ name, size }) => [name, size]),
      }),
    },
    {
      method: 'POST',
      path: '/stream',
      input: { form: { title, tags }, files: { picture: z.instanceof(FileStream) } },
      handler: async ({ files: { picture } }) => {
        for await (const chunk of picture) if (chunk.length > 60_000) await delay(1)
        return { name: picture.name, size: picture.bytesRead }
      },
    },
    {
      method: 'POST',
      path: '/streams',
      input: { files: { file: z.instanceof(FileStreams) } },
      handler: async ({ files }) => {
        const sizes: number[] = []
        for await (const one of files.file) {
          // every second one is left unread
          if (sizes.length % 2 === 0) for await (const chunk of one) void chunk
          sizes.push(one.bytesRead)
        }
        return { sizes }
      },
    },
    {
      method: 'POST',
      path: '/unread',
      input: { files: { picture: z.instanceof(FileStream) } },
      handler: ({ files: { picture } }) => ({ name: picture.name }),
    },
  ],
})
