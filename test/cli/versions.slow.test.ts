import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createFolder, findMain, octavo } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const folder = createFolder()
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

describe('octavo versions', () => {
  it('lists versions with their changes, newest first', async () => {
    const { stdout, code } = await octavo(['versions', programFile('test/cli/fixtures/history/app.ts')], {
      node: ['--conditions', 'octavo-source', main],
    })
    assert.equal(
      stdout,
      `VERSION  STATUS                                         ROUTES  CONVERTED  CHANGES
3        active, default                                2       0          Colours have a name
2        active                                         2       1          Years are numbers
1        deprecated since 2026-01-01, until 2126-01-01  2       1
`,
    )
    assert.equal(code, 0)
  })

  it('tells the stages of a version apart', async () => {
    const { stdout, stderr } = await octavo(['versions', programFile('test/cli/fixtures/life/app.ts')], {
      node: ['--conditions', 'octavo-source', main],
    })
    const stages = [...stdout.matchAll(/^(\d) +(\S.*?) {2,}/gm)].map(([, version, status]) => [
      version,
      status,
    ])
    assert.deepEqual(
      stages,
      [
        ['4', 'active'],
        ['3', 'active, deprecated from 2125-01-01'],
        ['2', 'deprecated, until 2126-01-01'],
        ['1', 'retired since 2021-01-01'],
      ],
      stderr,
    )
  })

  it('explains where each change lands, and where none does', async () => {
    const node = ['--conditions', 'octavo-source', main]
    // the places are those of the source
    const source = 'test/cli/fixtures/explain/app.ts'
    const { stdout, stderr, code } = await octavo(['versions', '--explain', source], { node })
    assert.equal(
      stdout.replaceAll(/app\.ts:\d+/g, 'app.ts:1'),
      `next  Years are years  test/cli/fixtures/explain/app.ts:1
  car.list    query.sort, response 200.items[]
  car.feed    events.added
  car.add     body, response 201, response 409.other
  car.report  path, query.dry, response.headers.x-total, status 404, input
  history     messages.car

2  Colours have a name  test/cli/fixtures/explain/app.ts:1
  car.list  response 200.items[]
  car.feed  events.added
  car.add   body, response 201, response 409.other
  history   messages.car

Schemas that look like a model but that no change reaches
  car.report  response 200.cars{}
    has made, colour like Car, but is not made from it

Create them with derive(Model, …) or list them in applies of the change. If they are unrelated, list them in not.
`,
      stderr,
    )
    assert.equal(code, 0)
    const json = await octavo(['versions', '--explain', '--format', 'json', programFile(source)], { node })
    const { nearMisses } = JSON.parse(json.stdout).result as { nearMisses: unknown }
    assert.deepEqual(nearMisses, [
      { route: 'car.report', model: 'Car', fields: ['made', 'colour'], positions: ['response 200.cars{}'] },
    ])
  })

  it('says that there are no changes', async () => {
    const { stdout } = await octavo(['versions', '--explain', programFile('test/cli/fixtures/cars/app.ts')], {
      node: ['--conditions', 'octavo-source', main],
    })
    assert.equal(stdout, 'The app has no changes.\n')
  })
})

describe('usage on the command line', () => {
  const entry = (version: string, client: string | null, count: number) => ({
    day: '2026-03-01',
    version,
    route: 'car.list',
    client,
    count,
    lastSeen: '2026-03-01T12:00:00.000Z',
  })

  it('is added to versions, and decides whether one may be retired', async () => {
    const node = ['--conditions', 'octavo-source', main]
    const file = join(folder.path, 'usage.json')
    const app = programFile('test/cli/fixtures/history/app.ts')
    writeFileSync(file, JSON.stringify([entry('1', 'acme', 2), entry('3', null, 7)]))
    const listed = await octavo(['versions', app, '--usage', file], { node })
    assert.match(listed.stdout, /^3 .* 7 +0 +2026-03-01 .*\n2 .* 0 +0 .*\n1 .* 2 +1 +2026-03-01\n$/m)
    const used = await octavo(['retire', '1', app, '--usage', file], { node })
    assert.equal(
      used.stdout,
      `These clients of version 1 would break:

CLIENT  CALLS  LAST SEEN   ROUTES
acme    2      2026-03-01  car.list

Changes that no other version needs:
  2  Years are numbers
`,
      used.stderr,
    )
    assert.equal(used.code, 1)
    const later = await octavo(['retire', '1', app, '--usage', file, '--since', '2026-03-02'], { node })
    assert.match(
      later.stdout,
      /^No client has called version 1 since 2026-03-02\.\nThere are no counts of other versions either\. /,
    )
    assert.equal(later.code, 1)
    writeFileSync(file, JSON.stringify([entry('2', 'a', 1)]))
    assert.equal((await octavo(['retire', '1', app, '--usage', file], { node })).code, 0)
    writeFileSync(file, JSON.stringify([entry('2', 'a', 1), { ...entry('1', '*', 5), route: '*' }]))
    const folded = await octavo(['retire', '1', app, '--usage', file], { node })
    assert.match(folded.stdout, /^\(others\) +5 +2026-03-01 +\(several\)$/m)
    writeFileSync(file, JSON.stringify([entry('1', 'a\u001b[31mb\nc\u202e', 1)]))
    const hostile = await octavo(['retire', '1', app, '--usage', file], { node })
    assert.match(hostile.stdout, /^a\?\[31mb\?c\? +1 /m)
    const unnamed = await octavo(['retire', app, '--usage', file], { node })
    assert.match(unnamed.stderr, /which version\?\n.*octavo retire 1 src\/app\.ts/)
    const unknown = await octavo(['retire', '9', app, '--usage', file], { node })
    assert.match(unknown.stderr, /there is no version 9\n.*there are 1, 2, 3/)
    assert.equal(unknown.code, 1)
    const day = await octavo(['retire', '1', app, '--usage', file, '--since', '2026-02-30'], { node })
    assert.match(day.stderr, /--since 2026-02-30 isn't a day/)
    folder.write('api/index.json', '{')
    const api = join(folder.path, 'api')
    const broken = await octavo(['retire', '1', app, '--usage', file, '--dir', api], { node })
    assert.match(broken.stderr, /^octavo: .*api: .*JSON/)
    // as of a download that failed
    writeFileSync(file, '')
    const empty = await octavo(['retire', '1', app, '--usage', file], { node })
    assert.match(empty.stderr, /usage\.json is empty/)
    assert.equal(empty.code, 2)
  })
})
