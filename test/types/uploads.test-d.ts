import { defineController, FileStream, FileStreams } from 'octavo'
import type { Handler, UploadLimits } from 'octavo'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

export const inferred = defineController({
  prefix: '/up',
  routes: [
    {
      method: 'POST',
      path: '/{id:int}',
      bodyLimit: 5_000_000,
      uploads: { fileSize: 1_000_000, directory: '/tmp' },
      input: {
        form: { title: z.string(), tags: z.array(z.string()).optional() },
        files: {
          avatar: z.file().max(1_000_000).mime(['image/png']),
          photos: z.array(z.file()),
          cv: z.file().optional(),
          video: z.instanceof(FileStream),
        },
      },
      handler: ({ params, form, files }) => {
        expectTypeOf(params).toEqualTypeOf<{ id: number }>()
        expectTypeOf(form).toEqualTypeOf<{ title: string; tags: string[] | undefined }>()
        expectTypeOf(files).toEqualTypeOf<{
          avatar: File
          photos: File[]
          cv: File | undefined
          video: FileStream
        }>()
      },
    },
    {
      method: 'POST',
      path: '/schema',
      input: { files: z.object({ cv: z.file().optional() }) },
      handler: ({ files }) => expectTypeOf(files).toEqualTypeOf<{ cv?: File | undefined }>(),
    },
    {
      method: 'POST',
      path: '/several',
      input: { files: { videos: z.instanceof(FileStreams) } },
      handler: async ({ files }) => {
        for await (const video of files.videos) {
          expectTypeOf(video).toEqualTypeOf<FileStream>()
          for await (const chunk of video) expectTypeOf(chunk).toEqualTypeOf<Uint8Array>()
        }
      },
    },
    {
      method: 'POST',
      path: '/without',
      input: { form: ['title'] },
      // @ts-expect-error files are not declared
      handler: ({ files }) => files,
    },
  ],
})

export const misuse = defineController({
  prefix: '/misuse',
  routes: [
    // @ts-expect-error a file that is no schema
    { method: 'POST', path: '/a', input: { files: 5 }, handler: () => 1 },
    // @ts-expect-error a misspelt source
    { method: 'POST', path: '/b', input: { file: { a: z.file() } }, handler: () => 1 },
    // @ts-expect-error a limit is a number
    { method: 'POST', path: '/c', uploads: { files: '5' }, handler: () => 1 },
    // @ts-expect-error a limit that does not exist
    { method: 'POST', path: '/d', uploads: { parts: 5 }, handler: () => 1 },
  ],
})

const input = { files: { video: z.instanceof(FileStream) } }
export const elsewhere: Handler<typeof input> = ({ files }) => {
  expectTypeOf(files.video.name).toEqualTypeOf<string>()
  expectTypeOf(files.video.bytesRead).toEqualTypeOf<number>()
}

expectTypeOf<UploadLimits['directory']>().toEqualTypeOf<string | undefined>()
