/** Serves one contestant on Bun or Deno and prints its port: `bun server.js hono`. The process that started it ends it. */
import type { Serve } from './serve.ts'

const name = process.argv.at(-1) ?? ''
const { serve }: { readonly serve: Serve } = await import(`./servers/${name}.js`)
console.log(await serve())
