import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { createBooksApp } from '../src/app.ts'

describe('books', () => {
  const app = createBooksApp({ logger: false })
  after(() => app.close())

  it('are titles in version 1', async () => {
    const response = await app.inject('/v1/books')
    assert.deepEqual(response.json(), ['Middlemarch'])
  })

  it('are whole in version 2', async () => {
    const response = await app.inject('/v2/books?author=George%20Eliot')
    assert.deepEqual(response.json(), [{ id: 1, title: 'Middlemarch', author: 'George Eliot' }])
  })

  it('can be added', async () => {
    const book = { title: 'Emma', author: 'Jane Austen' }
    const response = await app.inject({ method: 'POST', url: '/v2/books', json: book })
    assert.equal(response.statusCode, 201)
    assert.deepEqual(response.json(), { id: 2, ...book })
  })

  it('need a title', async () => {
    const response = await app.inject({ method: 'POST', url: '/v1/books', json: { author: 'Jane Austen' } })
    assert.equal(response.statusCode, 422)
  })
})
