import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { fuzzDocument } from './run.ts'
import { FUZZED } from './subjects.ts'

/** Tests that the documents of some of the applications are exact, and enough to call everything. */
export function testDocuments(title: string, isMeant: (name: string) => boolean): void {
  describe(title, () => {
    let folder = ''
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'octavo-fuzz-'))
    })
    after(() => rm(folder, { recursive: true }))

    for (const { name, open } of FUZZED.filter((each) => isMeant(each.name))) {
      it(name, async () => {
        const { subjects, close } = await open(folder)
        try {
          for (const subject of subjects) {
            const { findings, unreached } = await fuzzDocument(subject, { seed: 7, calls: 4 })
            assert.deepEqual(
              findings.map(({ operation, text, call }) => `${operation}: ${text}\n  ${call}`),
              [],
              subject.name,
            )
            assert.deepEqual(unreached, [], `${subject.name}: operations that never succeeded`)
          }
        } finally {
          await close()
        }
      })
    }
  })
}
