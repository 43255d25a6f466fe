import { testDocuments } from './fuzz/suite.ts'

// by itself, for it has a database and hashes passwords
testDocuments('who has only the document of the shop can call every operation', (name) => name === 'shop')
