import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'

import { checkHistory } from 'octavo/testing'

import { createBooksApp } from '../src/app.ts'
import { history } from '../src/history.ts'

describe('books', () => {
  const app = createBooksApp({ logger: false })
  after(() => app.close())

  it('have an author', async () => {
    const response = await app.inject('/v2/books')
    assert.deepEqual(response.json(), [{ id: 1, title: 'Middlemarch', author: 'George Eliot' }])
  })

  it('have a writer in version 1', async () => {
    const response = await app.inject('/v1/books/1')
    assert.deepEqual(response.json(), { id: 1, title: 'Middlemarch', writer: 'George Eliot' })
  })

  it('can be added', async () => {
    const book = { title: 'Emma', author: 'Jane Austen' }
    const response = await app.inject({ method: 'POST', url: '/v2/books', json: book })
    assert.equal(response.statusCode, 201)
    assert.deepEqual(response.json(), { id: 2, ...book })
  })

  it('need a title', async () => {
    const response = await app.inject({ method: 'POST', url: '/v1/books', json: { writer: 'Jane Austen' } })
    assert.equal(response.statusCode, 422)
  })
})

describe('changes', () => {
  it('lead to each version and back', () => assert.deepEqual(checkHistory(history), []))
})
