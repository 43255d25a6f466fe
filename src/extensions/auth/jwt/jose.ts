import { DefinitionError } from '../../../base/definition-error.ts'
import { once, importInTurn } from '../../../base/values.ts'

/** Loads jose, which only applications with `jwtAuth` need. @throws `DefinitionError` if it is not installed. */
export const loadJose = /* @__PURE__ */ once(async () => {
  try {
    return await importInTurn(() => import('jose'))
  } catch (cause) {
    throw new DefinitionError(
      [
        {
          code: 'missing_package',
          where: 'jwtAuth',
          message: 'tokens are verified by jose, and the package jose cannot be loaded',
          fix: 'run "npm install jose"',
        },
      ],
      { cause },
    )
  }
})
