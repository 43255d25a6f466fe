/** What answers requests, without what servers pass besides them. */
export type Fetch = (request: Request) => Response | Promise<Response>

/** What every file in `servers/` exports: starts the server on a free port of the loopback interface. */
export type Serve = () => number | Promise<number>

/** As much of Bun and Deno as is needed here. */
interface Runtimes {
  readonly Bun?: {
    serve(options: { readonly port: number; readonly hostname: string; readonly fetch: Fetch }): {
      readonly port: number
    }
  }
  readonly Deno?: {
    serve(
      options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
      fetch: Fetch,
    ): { readonly addr: { readonly port: number } }
  }
}

/** Gives the handler to the server of the runtime, and returns its port. */
export function serveFetch(fetch: Fetch): number {
  const { Bun, Deno } = globalThis as Runtimes
  const place = { port: 0, hostname: '127.0.0.1' }
  if (Bun !== undefined) return Bun.serve({ ...place, fetch }).port
  if (Deno !== undefined) return Deno.serve({ ...place, onListen: () => undefined }, fetch).addr.port
  throw new Error('This is neither Bun nor Deno')
}
