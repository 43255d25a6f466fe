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
      `VERSION  STATUS                                                     ROUTES  CONVERTED  CHANGES
3        active, default                                            2       0          Colours have a name
2        active                                                     2       1          Years are numbers
1        deprecated, deprecated since 2026-01-01, until 2126-01-01  2       1
`,
    )
    assert.equal(code, 0)
  })

  it('explains where each change lands, and where none does', async () => {
    const node = ['--conditions', 'octavo-source', main]
    const { stdout, stderr, code } = await octavo(
      ['versions', '--explain', 'test/cli/fixtures/explain/app.ts'],
      { node },
    )
    assert.equal(
      stdout.replaceAll(/app\.ts:\d+/g, 'app.ts:1'),
      `next  Years are years  test/cli/fixtures/explain/app.ts:1
  car.list    query.sort, response 200.items[]
  car.feed    events.added
  car.add     body, response 201, response 409.other
  car.report  path, query.dry, status 404, response header x-total
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
    const json = await octavo(['versions', '--explain', '--json', 'test/cli/fixtures/explain/app.ts'], {
      node,
    })
    const { nearMisses } = JSON.parse(json.stdout) as { nearMisses: unknown }
    assert.deepEqual(nearMisses, [
      { route: 'car.report', model: 'Car', fields: ['made', 'colour'], places: ['response 200.cars{}'] },
    ])
  })

  it('says that there are no changes', async () => {
    const { stdout } = await octavo(['versions', '--explain', 'test/cli/fixtures/cars/app.ts'], {
      node: ['--conditions', 'octavo-source', main],
    })
    assert.equal(stdout, 'The app has no changes.\n')
  })
})
