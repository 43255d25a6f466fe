import { defineController, notFound } from 'octavo'
import { z } from 'zod'

const NewBook = z.object({ title: z.string().min(1), author: z.string().min(1) }).meta({ id: 'NewBook' })
const Book = NewBook.extend({ id: z.number().int() }).meta({ id: 'Book' })

const books: z.infer<typeof Book>[] = [{ id: 1, title: 'Middlemarch', author: 'George Eliot' }]

function findBook(id: number): z.infer<typeof Book> {
  const book = books.find((each) => each.id === id)
  if (book === undefined) throw notFound(`There is no book ${id}`)
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
