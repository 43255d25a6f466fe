import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { toTemplateSnapshots } from './template-snapshots.ts'

/** Writes the documents that a project of `octavo init` begins with. */
const FOLDER = join(import.meta.dirname, '../src/cli/init/template/api')

mkdirSync(FOLDER, { recursive: true })
for (const [name, text] of Object.entries(await toTemplateSnapshots()))
  writeFileSync(join(FOLDER, name), text)
