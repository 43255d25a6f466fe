import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { DefinitionError } from '../../definition-error.ts'
import type { DefinitionProblem } from '../../definition-error.ts'
import { isWorkerd } from '../../platform.ts'

/** The files of `swagger-ui-dist` that the page needs; no other is served. */
export const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const

const PACKAGE = 'swagger-ui-dist'

/** The folder of Swagger UI, whose own code is not run; `undefined` when it is not installed. */
export function findSwagger(): string | undefined {
  if (isWorkerd()) return undefined
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

/** Checks that Swagger UI can be shown. @throws `DefinitionError` if it is not installed, and in Workers. */
export function checkSwagger(): void {
  if (isWorkerd()) throw new DefinitionError([NO_FILES])
  if (findSwagger() === undefined) throw new DefinitionError([NOT_INSTALLED])
}

const NOT_INSTALLED: DefinitionProblem = {
  code: 'missing_package',
  where: 'createApp',
  message: `docs.ui is 'swagger', and the package ${PACKAGE} is not installed`,
  fix: `run "npm install ${PACKAGE}", or leave docs.ui out for a plain list of the documents`,
}

const NO_FILES: DefinitionProblem = {
  code: 'invalid_option',
  where: 'createApp',
  message: "docs.ui is 'swagger', and there are no files in Workers to read Swagger UI from",
  fix: 'leave docs.ui out for a plain list of the documents, or give a function that returns a page',
}
