import { defineController, defineProblem, defineProvider } from 'octavo'
import { z } from 'zod'

import { Book, NewBook } from './models.ts'

/** The books in memory. Replace it with your database. */
export const Books = defineProvider({
  name: 'Books',
  create: () => {
    const rows = new Map([[1, { id: 1, title: 'Middlemarch', author: 'George Eliot' }]])
    return {
      list: () => [...rows.values()],
      find: (id: number) => rows.get(id),
      add: (book: z.infer<typeof NewBook>) => {
        const row = { id: rows.size + 1, ...book }
        rows.set(row.id, row)
        return row
      },
    }
  },
})

const BookNotFound = defineProblem({
  code: 'book_not_found',
  status: 404,
  title: 'There is no such book',
})

/** The routes of the newest version. The older ones follow from the history. */
export const bookController = defineController({
  name: 'BookController',
  prefix: '/books',
  inject: { books: Books },
  routes: [
    {
      method: 'GET',
      name: 'list',
      response: z.array(Book),
      handler: ({ inject }) => inject.books.list(),
    },
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'getOne',
      response: Book,
      problems: [BookNotFound],
      handler: ({ params, inject }) => {
        const book = inject.books.find(params.id)
        if (book === undefined) throw BookNotFound(`There is no book ${params.id}`)
        return book
      },
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: NewBook },
      response: { 201: Book },
      handler: ({ body, inject }) => inject.books.add(body),
    },
  ],
})
