import { createHandler } from './fetch.ts'

/** As much of Deno as is needed here. */
declare const Deno: {
  serve(options: object, handler: object): { readonly addr: { readonly port: number } }
}

const { addr } = Deno.serve({ port: 0, onListen: () => undefined }, createHandler())
console.log(JSON.stringify({ msg: 'Listening', url: `http://localhost:${addr.port}` }))
