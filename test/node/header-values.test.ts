import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { defineController, reply } from 'octavo'

import { serve } from '../support/serve.ts'
import { ENGINES, PLACE } from './support.ts'

/** Values that one header has in one response after the other, and what the client gets; `undefined` for a 500. */
const CASES: readonly (readonly [value: string | readonly string[], got: string | undefined])[] = [
  ['first', 'first'],
  ['first', 'first'],
  ['second', 'second'],
  ['first\r\nx-b: 1', undefined],
  ['first', 'first'],
  [['first', 'second'], 'first, second'],
  [['first\n'], undefined],
  ['first\u20ac', undefined],
  ['', ''],
  ['first', 'first'],
]

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      path: '/{name}/{index:int}',
      handler: ({ params }) => reply(200, 1, { headers: { [params.name]: CASES[params.index]?.[0] ?? '' } }),
    },
    { method: 'GET', path: '/date', handler: () => reply(200, 1, { headers: { date: 'then' } }) },
  ],
})

for (const engine of ['node', 'direct'] as const) {
  describe(`headers whose values change, on the engine '${engine}'`, () => {
    const app = serve(controller)
    let url = ''
    before(async () => {
      url = await app.listen({ ...PLACE, ...ENGINES[engine] })
    })
    after(() => app.close())

    for (const name of ['x-a', 'vary', 'etag'])
      it(`have the value of each response, or are refused: ${name}`, async () => {
        const got = []
        for (const index of CASES.keys()) {
          const { status, headers } = await fetch(`${url}/${name}/${index}`)
          assert.equal(headers.get('x-b'), null)
          assert.equal(
            headers.get('content-type'),
            status === 200 ? 'application/json' : 'application/problem+json',
          )
          got.push(status === 200 ? headers.get(name) : undefined)
        }
        assert.deepEqual(
          got,
          CASES.map(([, value]) => value),
        )
      })

    it('never have the date of another response', async () => {
      const dates = []
      for (const path of ['/date', '/x-a/0', '/date', '/x-a/0'])
        dates.push((await fetch(url + path)).headers.get('date') === 'then')
      assert.deepEqual(dates, [true, false, true, false])
    })
  })
}
