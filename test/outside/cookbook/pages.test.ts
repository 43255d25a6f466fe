import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { app, url } from './.recipes/pages.ts'

interface Page {
  readonly items: readonly { readonly id: number }[]
  readonly next: string | null
  readonly prev: string | null
}

describe('the recipe for pages', () => {
  after(() => app.close())

  const get = async (query: string): Promise<Page> => {
    const response = await fetch(`${url}/orders?${query}`)
    assert.equal(response.status, 200)
    // the body of the route, which is compared below
    return (await response.json()) as Page
  }
  const idsOf = ({ items }: Page): readonly number[] => items.map(({ id }) => id)

  const all = async (query: string): Promise<readonly number[]> => {
    const first = await get(query)
    const ids = [...idsOf(first)]
    for (let { next } = first; next !== null;) {
      const page = await get(`${query}&cursor=${next}`)
      ids.push(...idsOf(page))
      next = page.next
    }
    return ids
  }

  it('sends every order once, the newest first', async () => {
    for (const limit of [1, 2, 3, 7]) assert.deepEqual(await all(`limit=${limit}`), [7, 6, 5, 4, 3, 2, 1])
  })

  it('sends the cheapest first, and those without a total last', async () => {
    for (const limit of [1, 2, 3, 7])
      assert.deepEqual(await all(`limit=${limit}&sort=cheapest`), [1, 4, 7, 2, 5, 3, 6])
    assert.deepEqual(await all('limit=2&sort=cheapest&customer=ann'), [4, 2, 6])
  })

  it('goes back', async () => {
    const first = await get('limit=3&sort=cheapest')
    const second = await get(`limit=3&sort=cheapest&cursor=${first.next}`)
    const back = await get(`limit=3&sort=cheapest&cursor=${second.prev}`)
    assert.deepEqual([idsOf(second), idsOf(back), back.prev], [[2, 5, 3], [1, 4, 7], null])
  })

  it('refuses a cursor of another order', async () => {
    const { next } = await get('limit=3')
    const response = await fetch(`${url}/orders?limit=3&sort=cheapest&cursor=${next}`)
    assert.equal(response.status, 422)
  })
})
