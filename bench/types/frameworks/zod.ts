import { toGroupFiles, toSchemas } from '../api.ts'
import type { Framework } from '../api.ts'

/** The schemas alone, each used for its value as a handler does. */
export const zod: Framework = {
  name: 'zod alone',
  toFiles: (api) =>
    toGroupFiles(api, (group) =>
      [
        `import { z } from 'zod'`,
        toSchemas(group),
        ...group.routes.map(
          ({ name, schema, toAnswer }) =>
            `export const ${name} = (input: z.output<typeof ${schema}>) => ${toAnswer('input')}`,
        ),
      ].join('\n'),
    ),
}
