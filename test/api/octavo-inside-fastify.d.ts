// The public types of octavo/inside/fastify. npm run api writes this file, and nothing imports it.

export interface FastifyInsideOptions extends InsideOptions<FastifyRequest> {
  readonly versions: InsideApp
}

export { InsideApp } from 'octavo/inside/express'

export { InsideOptions } from 'octavo/inside/express'

export const inside: FastifyPluginCallback<FastifyInsideOptions>
