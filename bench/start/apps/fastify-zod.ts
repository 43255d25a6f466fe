import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'

import { report } from './report.ts'
import { ROUTES } from './routes.ts'
import type { AppRoute } from './routes.ts'

const app = fastify().withTypeProvider<ZodTypeProvider>()
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)
for (const route of ROUTES) add(route)
const url = await app.listen({ port: 0, host: '127.0.0.1' })
await report(Number(new URL(url).port))

function add({ kind, prefix }: AppRoute): void {
  const path = `${prefix}/:id`
  const idOf = (params: unknown): string => (params as { readonly id: string }).id
  if (kind === 'query') {
    const querystring = z.object({ limit: z.coerce.number().int(), offset: z.coerce.number().int() })
    app.get(path, { schema: { querystring } }, ({ params, query }) => ({ id: idOf(params), ...query }))
  } else if (kind === 'body') {
    const body = z.object({ name: z.string(), year: z.number().int(), tags: z.array(z.string()) })
    app.post(path, { schema: { body } }, (request) => ({ id: idOf(request.params), ...request.body }))
  } else app.get(path, ({ params }) => ({ id: idOf(params) }))
}
