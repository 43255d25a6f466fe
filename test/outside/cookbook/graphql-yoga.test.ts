import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { app, url } from './.recipes/graphql-yoga.ts'

describe('the recipe for GraphQL Yoga', () => {
  after(() => app.close())

  const ask = async (query: string, token?: string): Promise<unknown> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query }),
    })
    return response.json()
  }
  const codeOf = (answer: unknown): unknown => Object(answer).errors[0].extensions.code

  it('answers beside routes of two versions, by the same service', async () => {
    assert.equal(await (await fetch(`${url}/v1/cars/1`)).json(), 'Ford')
    assert.deepEqual(await (await fetch(`${url}/v2/cars/1`)).json(), { id: 1, name: 'Ford' })
    assert.deepEqual(await ask('{ car(id: 1) { name } }'), { data: { car: { name: 'Ford' } } })
  })

  it('knows who asks', async () => {
    assert.deepEqual(await ask('{ me }'), { data: { me: null } })
    assert.deepEqual(await ask('{ me }', 't0k3n'), { data: { me: 'Ann' } })
    const stolen = await fetch(`${url}/graphql?query={me}`, { headers: { authorization: 'Bearer stolen' } })
    assert.equal(stolen.status, 401)
  })

  it('answers errors that have a status with their code', async () => {
    assert.deepEqual(await ask('{ car(id: 9) { name } }'), {
      data: { car: null },
      errors: [
        {
          message: 'There is no car 9',
          path: ['car'],
          locations: [{ line: 1, column: 3 }],
          extensions: { code: 'not_found', status: 404 },
        },
      ],
    })
    const rename = 'mutation { renameCar(id: 1, name: "Fiat") { name } }'
    assert.equal(codeOf(await ask(rename)), 'unauthorized')
    assert.deepEqual(await ask(rename, 't0k3n'), { data: { renameCar: { name: 'Fiat' } } })
    assert.deepEqual(await (await fetch(`${url}/v2/cars/1`)).json(), { id: 1, name: 'Fiat' })
  })

  it('keeps the errors of queries', async () => {
    const answer = Object(await ask('{ boat }'))
    assert.match(answer.errors[0].message, /Cannot query field/)
  })
})
