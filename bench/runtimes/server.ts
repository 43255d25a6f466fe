/** Serves one contestant on Bun or Deno and prints its port: `bun server.js hono`. The process that started it ends it. */
import type { Serve } from './serve.ts'

/** As much of Deno as is needed here. */
interface Denoish {
  readonly Deno?: { readonly args: readonly string[] }
}

// on Deno, `process` would load what programs of Node need, which belongs to nobody who takes part
const { Deno: deno }: Denoish & object = globalThis
const name = (deno?.args ?? process.argv).at(-1) ?? ''
const { serve }: { readonly serve: Serve } = await import(`./servers/${name}.js`)
console.log(await serve())
