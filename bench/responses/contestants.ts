import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'

import { toJsonWriter } from '../../src/schema/json-writer.ts'
import { requireZod } from '../../src/schema/schema.ts'

/** Makes the function that writes values of a schema. */
export type Contestant = (schema: z.ZodType) => Promise<(value: unknown) => string>

export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  octavo: async (schema) => {
    await requireZod()
    const write = toJsonWriter(schema)
    if (write === undefined) throw new Error('the schema is not compiled')
    return (value) => {
      const text = write(value)
      if (text === undefined) throw new Error('the value does not fit')
      return text
    }
  },
  'JSON.stringify': async () => (value) => JSON.stringify(value),
  'z.compile + JSON.stringify': async (schema) => {
    const compiled = z.compile(schema)
    return (value) => JSON.stringify(compiled.parse(value))
  },
  fastify: async (schema) => serializerOf(fastify(), z.toJSONSchema(schema)),
  'fastify, zod': async (schema) => {
    const app = fastify()
    app.setSerializerCompiler(serializerCompiler)
    return serializerOf(app, schema)
  },
}

/** What Fastify itself calls for a response that has this schema. */
async function serializerOf(app: FastifyInstance, schema: unknown): Promise<(value: unknown) => string> {
  let write: ((value: Record<string, unknown>) => string) | undefined
  app.get('/', { schema: { response: { 200: schema } } }, (_request, reply) => {
    write = reply.getSerializationFunction('200')
    return reply.send('')
  })
  await app.inject('/')
  const found = write
  if (found === undefined) throw new Error('Fastify has no serializer')
  return (value) => found(value as Record<string, unknown>)
}
