import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { ApiRoute, Framework } from '../api.ts'

const SOURCES = { params: 'params', query: 'querystring', body: 'body' }
const INPUTS = { params: 'request.params', query: 'request.query', body: 'request.body' }

/** Plugins with the type provider for zod. */
export const fastify: Framework = {
  name: 'Fastify, with the type provider for zod',
  toFiles: (api) => ({
    ...toGroupFiles(api, (group) =>
      [
        `import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'`,
        `import { z } from 'zod'`,
        toSchemas(group),
        `export const ${group.name}: FastifyPluginAsyncZod = async (app) => {`,
        ...group.routes.map(toRoute),
        `}`,
      ].join('\n'),
    ),
    'app.ts': [
      `import { fastify } from 'fastify'`,
      `import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'`,
      `import type { ZodTypeProvider } from 'fastify-type-provider-zod'`,
      toImports(api),
      `export const app = fastify().withTypeProvider<ZodTypeProvider>()`,
      `app.setValidatorCompiler(validatorCompiler)`,
      `app.setSerializerCompiler(serializerCompiler)`,
      ...api.groups.map(({ name }) => `await app.register(${name}, { prefix: '/${name}' })`),
    ].join('\n'),
  }),
}

function toRoute({ kind, path, schema, toAnswer }: ApiRoute): string {
  const method = kind === 'body' ? 'post' : 'get'
  return `  app.${method}('${path}', { schema: { ${SOURCES[kind]}: ${schema} } }, async (request) => ${toAnswer(INPUTS[kind])})`
}
