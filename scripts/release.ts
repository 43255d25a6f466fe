/** Fails if a tag must not be published yet: `npm run check -- release v0.2.0`. The workflow of releases runs it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { VERSIONS } from '../website/versions.ts'
import { readReleased } from './api/announced.ts'
import { findReleaseMistakes } from './release/mistakes.ts'
import type { Release } from './release/mistakes.ts'

const ROOT = join(import.meta.dirname, '..')
const [tag] = process.argv.slice(2)

if (tag === undefined) {
  console.error('Name the tag: npm run check -- release v0.2.0')
  process.exitCode = 1
} else {
  const mistakes = findReleaseMistakes({
    tag,
    manifest: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Release['manifest'],
    changelog: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    typesOf: readReleased().version,
    siteOf: VERSIONS[0].name,
  })
  for (const mistake of mistakes) console.error(mistake)
  if (mistakes.length > 0) process.exitCode = 1
  else console.log(`${tag} can be published`)
}
