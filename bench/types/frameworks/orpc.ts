import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { Framework } from '../api.ts'

/** Procedures with their routes, a router of them, and one call of its client. */
export const orpc: Framework = {
  name: 'oRPC',
  toFiles: (api) => ({
    ...toGroupFiles(api, (group) =>
      [
        `import { os } from '@orpc/server'`,
        `import { z } from 'zod'`,
        toSchemas(group),
        `export const ${group.name} = {`,
        ...group.routes.map(({ kind, name, path, schema, toAnswer }) => {
          const method = kind === 'body' ? 'POST' : 'GET'
          const route = `{ method: '${method}', path: '/${group.name}${path.replace(':id', '{id}')}' }`
          return `  ${name}: os.route(${route}).input(${schema}).handler(({ input }) => ${toAnswer('input')}),`
        }),
        `}`,
      ].join('\n'),
    ),
    'app.ts': [
      toImports(api),
      `export const router = { ${api.groups.map(({ name }) => name).join(', ')} }`,
    ].join('\n'),
    'client.ts': [
      `import type { RouterClient } from '@orpc/server'`,
      `import type { router } from './app.ts'`,
      `declare const client: RouterClient<typeof router>`,
      `export const { id }: { id: string } = await client.area0.route0({ id: 'a' })`,
    ].join('\n'),
  }),
}
