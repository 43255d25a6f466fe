/** The parser of @fastify/busboy alone: its main file would bring 19 kB of other parsers and charsets into each worker. */
declare module '@fastify/busboy/deps/dicer/lib/Dicer.js' {
  import { Dicer } from '@fastify/busboy'

  export = Dicer
}
