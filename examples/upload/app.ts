import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { createApp, defineController, defineModule, FileStream, reply } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { z } from 'zod'

const MiB = 1_048_576
const Photo = z
  .file()
  .max(2 * MiB)
  .mime(['image/png', 'image/jpeg', 'image/webp'])

/** A gallery: photos that are validated as a whole, and videos that go to the disk while they arrive. */
export function createGalleryApp(folder: string, options: AppOptions = {}): App {
  const gallery = defineController({
    prefix: '/gallery',
    routes: [
      {
        method: 'POST',
        path: '/photos',
        status: 201,
        bodyLimit: 20 * MiB,
        uploads: { files: 8 },
        input: {
          form: { album: z.string().min(1), public: z.boolean().default(false) },
          files: { photos: z.array(Photo).min(1), cover: Photo.optional() },
        },
        handler: ({ form, files }) => ({
          ...form,
          cover: files.cover?.name ?? null,
          photos: files.photos.map(({ name, type, size }) => ({ name, type, size })),
        }),
      },
      {
        method: 'POST',
        path: '/videos',
        bodyLimit: 1024 * MiB,
        // what belongs to a file that is read as it arrives is sent before it
        input: { form: { title: z.string() }, files: { video: z.instanceof(FileStream) } },
        handler: async ({ form, files }) => {
          const path = join(folder, randomUUID())
          const hash = createHash('sha256')
          // opened first: otherwise the file could appear after it was removed
          const file = await open(path, 'wx')
          try {
            await pipeline(files.video, watched(hash), file.createWriteStream())
          } catch (error) {
            await rm(path, { force: true })
            throw error
          }
          return reply(201, {
            title: form.title,
            name: files.video.name,
            size: files.video.bytesRead,
            sha256: hash.digest('hex'),
          })
        },
      },
    ],
  })
  return createApp(defineModule({ controllers: [gallery] }), options)
}

/** Passes chunks on and hashes them on the way. */
function watched(hash: ReturnType<typeof createHash>) {
  return async function* watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
}
