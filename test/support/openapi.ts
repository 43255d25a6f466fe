import assert from 'node:assert/strict'

import { Validator } from '@seriousme/openapi-schema-validator'

/** One for all, because it compiles the schema of a version of OpenAPI once, which takes half a second. */
const validator = new Validator()

/** Fails unless the document is valid by the schema of its version of OpenAPI. Returns this version. */
export async function assertOpenApi(document: unknown, place = 'the document'): Promise<string> {
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)))
  assert.ok(valid, `${place}: ${JSON.stringify(errors)}`)
  return validator.version
}
