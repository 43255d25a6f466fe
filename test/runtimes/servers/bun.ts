import { createHandler } from './fetch.ts'

/** As much of Bun as is needed here. */
declare const Bun: {
  serve(options: { readonly port: number; readonly fetch: object }): { readonly url: URL }
}

console.log(
  JSON.stringify({ msg: 'Listening', url: Bun.serve({ port: 0, fetch: createHandler() }).url.origin }),
)
