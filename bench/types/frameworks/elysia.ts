import { toGroupFiles, toImports, toSchemas } from '../api.ts'
import type { Api, ApiRoute, Files, Framework, Group } from '../api.ts'

/** Applications in chains, joined by `use`; the same schemas. */
export const elysia: Framework = {
  name: 'Elysia, with zod',
  toFiles: (api) =>
    toFiles(api, (group) =>
      [
        `import { Elysia } from 'elysia'`,
        `import { z } from 'zod'`,
        toSchemas(group, ['query', 'body']),
      ].join('\n'),
    ),
}

const OWN = {
  params: '',
  query: 't.Object({ text: t.String(), limit: t.Integer() })',
  body: 't.Object({ name: t.String(), year: t.Integer(), tags: t.Array(t.String()), note: t.Optional(t.String()) })',
}

/** The same with schemas of Elysia's own. */
export const elysiaOwn: Framework = {
  name: 'Elysia, with its `t`',
  toFiles: (api) =>
    toFiles(api, ({ routes }) =>
      [
        `import { Elysia, t } from 'elysia'`,
        ...routes
          .filter(({ kind }) => kind !== 'params')
          .map(({ kind, schema }) => `const ${schema} = ${OWN[kind]}`),
      ].join('\n'),
    ),
}

function toFiles(api: Api, toHead: (group: Group) => string): Files {
  return {
    ...toGroupFiles(api, (group) =>
      [
        toHead(group),
        `export const ${group.name} = new Elysia({ prefix: '/${group.name}' })`,
        ...group.routes.map(toRoute),
      ].join('\n'),
    ),
    'app.ts': [
      `import { Elysia } from 'elysia'`,
      toImports(api),
      `const app = new Elysia()`,
      ...api.groups.map(({ name }) => `  .use(${name})`),
      `export type App = typeof app`,
    ].join('\n'),
  }
}

function toRoute({ kind, path, schema, toAnswer }: ApiRoute): string {
  const method = kind === 'body' ? 'post' : 'get'
  const options = kind === 'params' ? '' : `, { ${kind}: ${schema} }`
  return `  .${method}('${path}', ({ ${kind} }) => ${toAnswer(kind)}${options})`
}
