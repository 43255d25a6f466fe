import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { Api, ApiRoute, Files, Framework, Group } from '../api.ts'

const SOURCES = { params: 'pathParams', query: 'query', body: 'body' }
const INPUTS = { params: 'request.params', query: 'request.query', body: 'request.body' }

/**
 * With the version of zod that it asks for, the one that zod 4 brings along: with schemas of zod 4 its contracts are no contracts.
 */
export const tsRest: Framework = {
  name: 'ts-rest, with zod 3',
  toFiles,
  compilerOptions: { paths: { zod: ['../../../node_modules/zod/v3/index.d.ts'] } },
}

/** Contracts, handlers typed by them as its servers type theirs, and one call of its client. */
function toFiles(api: Api): Files {
  return {
    'handlers.ts': [
      `import type { AppRoute, AppRouter, ServerInferRequest, ServerInferResponses } from '@ts-rest/core'`,
      `export type Handlers<T extends AppRouter> = {`,
      `  [K in keyof T]: T[K] extends AppRoute ? (request: ServerInferRequest<T[K]>) => Promise<ServerInferResponses<T[K]>> : never`,
      `}`,
    ].join('\n'),
    ...toGroupFiles(api, toGroup),
    'app.ts': [
      `import { initClient, initContract } from '@ts-rest/core'`,
      toImports(api),
      `const contract = initContract().router({ ${api.groups.map(({ name }) => name).join(', ')} })`,
      `const client = initClient(contract, { baseUrl: 'http://localhost', baseHeaders: {} })`,
      `const answer = await client.area0.route0({ params: { id: 'a' } })`,
      `export const id: string = answer.status === 200 ? answer.body.id : ''`,
    ].join('\n'),
  }
}

function toGroup(group: Group): string {
  const toContract = ({ kind, name, path, schema, answer }: ApiRoute): string => {
    const method = kind === 'body' ? 'POST' : 'GET'
    return `  ${name}: { method: '${method}', path: '/${group.name}${path}', ${SOURCES[kind]}: ${schema}, responses: { 200: c.type<${answer}>() } },`
  }
  const toHandler = ({ kind, name, toAnswer }: ApiRoute): string =>
    `  ${name}: async (request) => ({ status: 200, body: ${toAnswer(INPUTS[kind])} }),`
  return [
    `import { initContract } from '@ts-rest/core'`,
    `import { z } from 'zod'`,
    `import type { Handlers } from './handlers.ts'`,
    toSchemas(group),
    `const c = initContract()`,
    `export const ${group.name} = c.router({`,
    ...group.routes.map(toContract),
    `})`,
    `export const handlers: Handlers<typeof ${group.name}> = {`,
    ...group.routes.map(toHandler),
    `}`,
  ].join('\n')
}
