/** The sources of a new project. A test checks their types and runs their test. */

export const MAIN = `import { app } from './app.ts'

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(\`Try \${url}/v1/books, \${url}/v2/books and \${url}/docs\`)
`

export const APP = `import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { bookController } from './books.ts'

export const AppModule = defineModule({ name: 'BooksModule', controllers: [bookController] })

/** Makes the app. Tests make their own. */
export function createBooksApp(options: Pick<AppOptions, 'logger'> = {}): App<typeof AppModule> {
  const app = createApp(AppModule, { docs: { info: { title: 'Books' } }, ...options })
  app.enableVersioning(VersioningSchemes.URL, { versionParameter: 'v', defaultVersion: null })
  return app
}

export const app = createBooksApp()
`

export const BOOKS = `import { defineController, notFound } from 'octavo'
import { z } from 'zod'

const NewBook = z.object({ title: z.string().min(1), author: z.string().min(1) }).meta({ id: 'NewBook' })
const Book = NewBook.extend({ id: z.number().int() }).meta({ id: 'Book' })

const books: z.infer<typeof Book>[] = [{ id: 1, title: 'Middlemarch', author: 'George Eliot' }]

function findBook(id: number): z.infer<typeof Book> {
  const book = books.find((each) => each.id === id)
  if (book === undefined) throw notFound(\`There is no book \${id}\`)
  return book
}

/** Books, in two versions: what differs says its version, what is the same is written once. */
export const bookController = defineController({
  name: 'BookController',
  prefix: '/books',
  version: ['1', '2'],
  routes: [
    {
      method: 'GET',
      name: 'list',
      version: '1',
      response: z.array(z.string()),
      handler: () => books.map(({ title }) => title),
    },
    {
      method: 'GET',
      name: 'list',
      version: '2',
      input: { query: { author: z.string().optional() } },
      response: z.array(Book),
      handler: ({ query }) => books.filter(({ author }) => author === (query.author ?? author)),
    },
    {
      method: 'GET',
      path: '/{book_id:int}',
      name: 'getOne',
      response: Book,
      handler: ({ params }) => findBook(params.book_id),
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: NewBook },
      response: { 201: Book },
      handler: ({ body }) => {
        const book = { id: books.length + 1, ...body }
        books.push(book)
        return book
      },
    },
  ],
})
`

export const TEST = `import assert from 'node:assert/strict'
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
`
