import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { ApiRoute, Framework } from '../api.ts'

/** Controllers, an application of them, and one typed `urlFor`. */
export const octavo: Framework = {
  name: 'octavo',
  toFiles: (api) => ({
    ...toGroupFiles(api, (group) =>
      [
        `import { defineController } from 'octavo'`,
        `import { z } from 'zod'`,
        toSchemas(group, ['query', 'body']),
        `export const ${group.name} = defineController({ name: '${group.name}', prefix: '/${group.name}', routes: [`,
        ...group.routes.map(toRoute),
        `] })`,
      ].join('\n'),
    ),
    'app.ts': [
      `import { createApp, defineModule } from 'octavo'`,
      toImports(api),
      `const app = createApp(defineModule({ controllers: [${api.groups.map(({ name }) => name).join(', ')}] }))`,
      `export const url: string = app.urlFor('area0.route0', { id: 'a' })`,
    ].join('\n'),
  }),
}

function toRoute({ kind, name, path, schema, toAnswer }: ApiRoute): string {
  const method = kind === 'body' ? 'POST' : 'GET'
  const input = kind === 'params' ? '' : `, input: { ${kind}: ${schema} }`
  return `  { method: '${method}', path: '${path.replace(':id', '{id}')}', name: '${name}'${input}, handler: ({ ${kind} }) => ${toAnswer(kind)} },`
}
