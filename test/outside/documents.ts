/**
 * Writes every document of every example to `.out/documents`, checks it with the schema of OpenAPI, and writes the types that
 * openapi-typescript makes of it to `.out/types`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Validator } from '@seriousme/openapi-schema-validator'
import openapiTS, { astToString } from 'openapi-typescript'

import { createForDocuments, documentsOf, EXAMPLES } from '../openapi/examples.ts'

const out = new URL('../../', import.meta.url).pathname
const folder = await mkdtemp(join(tmpdir(), 'octavo-outside-'))
await mkdir(join(out, 'documents'), { recursive: true })
await mkdir(join(out, 'types'), { recursive: true })

let count = 0
for (const example of EXAMPLES) {
  const { name } = example
  const app = createForDocuments(example, folder)
  for (const { version, document } of await documentsOf(app)) {
    const text = JSON.stringify(document, null, 2)
    await writeFile(join(out, 'documents', `${name}-${version}.json`), text)
    const { valid, errors } = await new Validator().validate(JSON.parse(text))
    if (!valid) {
      console.error(`${name} ${version} is no OpenAPI document:`, errors)
      process.exitCode = 1
    }
    const types = astToString(await openapiTS(text))
    await writeFile(join(out, 'types', `${name}-${version}.ts`), types)
    count += 1
  }
  await app.close()
}
await rm(folder, { recursive: true })
console.log(`${count} documents of ${EXAMPLES.length} examples are OpenAPI 3.1 and have types`)
