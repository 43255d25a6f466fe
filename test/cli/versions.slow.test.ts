import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { bundle, createFolder, octavo } from '../support/octavo.ts'

const folder = createFolder()
let main = ''
before(async () => {
  main = await bundle(folder.path)
})
after(() => folder.remove())

describe('octavo versions', () => {
  it('lists versions with their changes, newest first', async () => {
    const { stdout, code } = await octavo(['versions', 'test/cli/fixtures/history/app.ts'], {
      node: ['--conditions', 'octavo-source', main],
    })
    assert.equal(
      stdout,
      `VERSION  STATUS                                                     ROUTES  CARRIED  CHANGES
3        active, default                                            2       0        Colours have a name
2        active                                                     2       1        Years are numbers
1        deprecated, deprecated since 2026-01-01, until 2126-01-01  2       1
`,
    )
    assert.equal(code, 0)
  })
})
