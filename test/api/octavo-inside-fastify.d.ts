// The public types of octavo/inside/fastify. npm run api writes this file, and nothing imports it.

export interface FastifyInsideOptions extends InsideOptions<FastifyRequest> {
  readonly versions: InsideApp
}

export const inside: FastifyPluginCallback<FastifyInsideOptions>
