import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { DefinitionError } from '../../definition-error.ts'

/** The files of `swagger-ui-dist` that the page needs; no other is served. */
export const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const

const PACKAGE = 'swagger-ui-dist'

/** The folder of Swagger UI, whose own code is not run; `undefined` when it is not installed. */
export function findSwagger(): string | undefined {
  // a framework that is linked into a project has no packages of the project around it
  const places = [import.meta.url, join(process.cwd(), 'package.json')]
  for (const place of places) {
    try {
      return dirname(createRequire(place).resolve(`${PACKAGE}/package.json`))
    } catch {
      // not seen from here
    }
  }
  return undefined
}

/** Checks that Swagger UI is installed. @throws `DefinitionError` if it is not. */
export function checkSwagger(): void {
  if (findSwagger() !== undefined) return
  throw new DefinitionError([
    {
      code: 'missing_package',
      where: 'createApp',
      message: `docs.ui is 'swagger', and the package ${PACKAGE} is not installed`,
      fix: `run "npm install ${PACKAGE}", or leave docs.ui out for a plain list of the documents`,
    },
  ])
}
