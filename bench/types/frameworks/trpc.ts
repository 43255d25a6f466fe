import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { Framework } from '../api.ts'

/** Procedures, routers of them in one router, and one call on the server: its client is another package. */
export const trpc: Framework = {
  name: 'tRPC',
  toFiles: (api) => ({
    'trpc.ts': [
      `import { initTRPC } from '@trpc/server'`,
      `const t = initTRPC.create()`,
      `export const { router, procedure } = t`,
    ].join('\n'),
    ...toGroupFiles(api, (group) =>
      [
        `import { z } from 'zod'`,
        `import { procedure, router } from './trpc.ts'`,
        toSchemas(group),
        `export const ${group.name} = router({`,
        ...group.routes.map(({ kind, name, schema, toAnswer }) => {
          const type = kind === 'body' ? 'mutation' : 'query'
          return `  ${name}: procedure.input(${schema}).${type}(({ input }) => ${toAnswer('input')}),`
        }),
        `})`,
      ].join('\n'),
    ),
    'app.ts': [
      `import { router } from './trpc.ts'`,
      toImports(api),
      `export const appRouter = router({ ${api.groups.map(({ name }) => name).join(', ')} })`,
      `export type AppRouter = typeof appRouter`,
      `const caller = appRouter.createCaller({})`,
      `export const { id }: { id: string } = await caller.area0.route0({ id: 'a' })`,
    ].join('\n'),
  }),
}
