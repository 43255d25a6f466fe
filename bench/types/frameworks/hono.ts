import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { Api, ApiRoute, Files, Framework } from '../api.ts'

/** Applications in chains, joined by `route`. */
export const hono: Framework = { name: 'Hono', toFiles }

/** The same, and one call of its client. */
export const honoClient: Framework = {
  name: 'Hono, with a call through `hc`',
  toFiles: (api) => ({
    ...toFiles(api),
    'client.ts': [
      `import { hc } from 'hono/client'`,
      `import type { AppType } from './app.ts'`,
      `const client = hc<AppType>('http://localhost')`,
      `const answer = await client.area0.items0[':id'].$get({ param: { id: 'a' } })`,
      `export const { id }: { id: string } = await answer.json()`,
    ].join('\n'),
  }),
}

function toFiles(api: Api): Files {
  return {
    ...toGroupFiles(api, (group) =>
      [
        `import { zValidator } from '@hono/zod-validator'`,
        `import { Hono } from 'hono'`,
        `import { z } from 'zod'`,
        toSchemas(group, ['query', 'body']),
        `export const ${group.name} = new Hono()`,
        ...group.routes.map(toRoute),
      ].join('\n'),
    ),
    'app.ts': [
      `import { Hono } from 'hono'`,
      toImports(api),
      `const app = new Hono()`,
      ...api.groups.map(({ name }) => `  .route('/${name}', ${name})`),
      `export type AppType = typeof app`,
    ].join('\n'),
  }
}

function toRoute({ kind, path, schema, toAnswer }: ApiRoute): string {
  const toHandler = (input: string): string =>
    `(c) => { const input = c.req.${input}; return c.json(${toAnswer('input')}) }`
  switch (kind) {
    case 'params':
      return `  .get('${path}', ${toHandler('param()')})`
    case 'query':
      return `  .get('${path}', zValidator('query', ${schema}), ${toHandler(`valid('query')`)})`
    case 'body':
      return `  .post('${path}', zValidator('json', ${schema}), ${toHandler(`valid('json')`)})`
  }
}
