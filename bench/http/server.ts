/** Serves one contestant and prints its port: `node server.js hono [--logs]`. The process that started it ends it. */
import type { Serve } from './contestants.ts'

const [name = '', ...options] = process.argv.slice(2)
const { serve }: { readonly serve: Serve } = await import(`./servers/${name}.js`)
const port = await serve({ logs: options.includes('--logs') })
if (process.send === undefined) console.log(port)
else {
  process.send(port)
  // asked for between bursts
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit())
}
