import { defineVersionChange, reshape } from 'octavo/changes'

import { Book } from '../models.ts'

export const writersAreAuthors = defineVersionChange({
  version: '2',
  title: 'Writers are called authors',
  description: '`Book.writer` was renamed to `author`.',
  change: [reshape({ of: Book, fields: { author: { was: 'writer' } } })],
})
