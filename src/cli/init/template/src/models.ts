import { derive, model } from 'octavo/changes'
import { z } from 'zod'

/** A book, as the newest version shows it. */
export const Book = model('Book', {
  id: z.int(),
  title: z.string().min(1),
  author: z.string().min(1),
})

export const NewBook = derive(Book, (book) => book.omit({ id: true }))
