import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ConstraintStrategy, Handler, HTTPVersion } from 'find-my-way'

import { TOKEN } from '../scenarios.ts'

/** Versions in a header, as Fastify's documentation shows it for `routerOptions`. */
export const versionByHeader: ConstraintStrategy<HTTPVersion.V1> = {
  name: 'version',
  storage: () => {
    const versions = new Map<string, Handler<HTTPVersion.V1>>()
    return {
      get: (version) => versions.get(version) ?? null,
      set: (version, handler) => {
        versions.set(version, handler)
      },
    }
  },
  deriveConstraint: ({ headers }) => String(headers['x-api-version']),
}

/** Sends what fails validation as 422, and all else as Fastify would. */
export function onError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  if (error.validation === undefined) void reply.send(error)
  else
    void reply.code(422).send({ statusCode: 422, code: error.code, error: 'Invalid', message: error.message })
}

/** An `onRequest` hook. */
export async function hasToken(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.authorization !== TOKEN) await reply.code(401).send({ error: 'Unauthorized' })
}
