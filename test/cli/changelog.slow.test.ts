import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createFolder, findMain, octavo } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const folder = createFolder()
const app = programFile('test/cli/fixtures/history/app.ts')
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())
const run = (...args: readonly string[]): Promise<Outcome> =>
  octavo(['changelog', ...args], {
    cwd: folder.path,
    node: [main],
  })

describe('octavo changelog', () => {
  it('writes changes and differences as Markdown', async () => {
    const { stdout, stderr, code } = await run(app, '--from', '1', '--to', '2')
    assert.equal(
      stdout,
      `# Changelog of API

## 2

### Years are numbers

\`Car.year\` was a text.

Models: \`Car\`

Operations: \`GET /v2/car\`

\`Car\` before and after:

\`\`\`diff
- { "year": "1.5" }
+ { "year": 1.5 }
\`\`\`

**Breaking**

- \`Car\` \`year\`: it was string and is number (\`response-property-type-changed\`)
`,
      stderr,
    )
    assert.equal(code, 0)
  })

  it('writes a file in the format of its name, and takes days from the snapshots', async () => {
    folder.write('api/index.json', '{"versions":[{"version":"2","sha256":"0","at":"2026-03-04"}]}')
    const { stderr, code } = await run(app, '--out', 'made/changelog.md')
    assert.deepEqual([stderr, code], ['Wrote made/changelog.md\n', 0])
    const made = readFileSync(join(folder.path, 'made/changelog.md'), 'utf8')
    assert.match(made, /^## 2 \(2026-03-04\)$/m)
    assert.match((await run(app, '--out', 'made/changelog.md')).stderr, /is up to date/)
    const json = await run(app, '--format', 'json', '--dir', 'elsewhere')
    const { versions } = JSON.parse(json.stdout).result as {
      versions: readonly { version: string; day?: string }[]
    }
    assert.deepEqual(
      versions.map(({ version, day }) => [version, day]),
      [
        ['3', undefined],
        ['2', undefined],
        ['1', undefined],
      ],
    )
  })

  it('works for versions that are written by hand, and for none', async () => {
    const cars = await run(programFile('test/cli/fixtures/cars/app.ts'))
    assert.match(cars.stdout, /^# Changelog of Car\n\n## 2 \(2026-03-04\)\n\n### Differences from 1\n/)
  })

  it('refuses what it does not know', async () => {
    const cases = [
      [['--from', '9'], /--from: the app has no version 9\n {2}it has 3, 2, 1/],
      [['--format', 'xml'], /unknown value xml of --format\n {2}use one of md, json/],
      [['--out', 'made/c.html'], /unknown format html of --out\n {2}use one of md, json/],
      [['--from', '2', '--to', '1'], /--from has to be older than --to/],
    ] as const
    for (const [args, message] of cases) {
      const { stderr, code } = await run(app, ...args)
      assert.match(stderr, message)
      assert.equal(code, 2)
    }
    folder.write('broken/index.json', '{')
    const broken = await run(app, '--dir', 'broken')
    assert.deepEqual([broken.code, broken.stdout], [2, ''])
    assert.match(broken.stderr, /^octavo: broken: .*\n$/)
  })
})
