import { testDocuments } from './fuzz/suite.ts'

// by themselves, for they have a database and hash passwords
testDocuments('who has only the document of the shop can call every operation', (name) => name === 'shop')
testDocuments(
  'who has only the document of RealWorld can call every operation',
  (name) => name === 'realworld',
)
