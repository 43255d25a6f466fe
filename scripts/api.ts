/**
 * Writes the public types of every entry point to `test/api`, and lists how they differ from the last release. `npm run api --
 * --release` makes them those of the version in package.json.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  compareFingerprints,
  describeChange,
  findUnannounced,
  readReleased,
  toFingerprints,
  writeReleased,
} from './api/announced.ts'
import { readPublicSurface, writeReports } from './api/report.ts'

const ROOT = join(import.meta.dirname, '..')

const surface = readPublicSurface()
await writeReports(surface)
const exports = toFingerprints(surface)
if (process.argv.includes('--release')) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  writeReleased({ version, exports })
  console.log(`The public types are those of ${version}`)
} else {
  const released = readReleased()
  const changes = compareFingerprints(released.exports, exports)
  console.log(
    `Since ${released.version}: ${changes.length === 0 ? 'no change' : `${changes.length} changes`}`,
  )
  for (const change of changes) console.log(`  ${describeChange(change)}`)
  const missing = findUnannounced(changes, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))
  if (missing.length > 0) {
    const names = [...new Set(missing.map(({ entry, name = entry }) => `\`${name}\``))]
    console.log(
      'Announce them in CHANGELOG.md under "Unreleased". Complete this entry with a sentence about each:',
    )
    console.log(`- Types: ${names.join(', ')}`)
  }
}
