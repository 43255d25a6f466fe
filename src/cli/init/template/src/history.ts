import { defineVersions } from 'octavo/changes'

import { writersAreAuthors } from './changes/writers-are-authors.ts'
import { Book } from './models.ts'

/** The released versions, newest first, and the changes between them. */
export const history = defineVersions({
  versions: ['2', '1'],
  models: { Book },
  changes: [writersAreAuthors],
})
