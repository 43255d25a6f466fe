import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { toTemplateSnapshots } from '../../scripts/template-snapshots.ts'

const FOLDER = join(import.meta.dirname, '../../template/api')

describe('template/api', () => {
  it('is what npm run template writes', async () => {
    const written = await toTemplateSnapshots()
    assert.deepEqual(readdirSync(FOLDER).toSorted(), Object.keys(written).toSorted())
    for (const [name, text] of Object.entries(written))
      assert.equal(readFileSync(join(FOLDER, name), 'utf8'), text, name)
  })
})
