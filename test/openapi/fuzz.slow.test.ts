import { testDocuments } from './fuzz/suite.ts'

const hasDatabase = (name: string): boolean => name === 'shop' || name === 'realworld'
const isEverything = (name: string): boolean => name.startsWith('everything')

testDocuments(
  'who has only the document of an example can call every operation, and gets what it says',
  (name) => !isEverything(name) && !hasDatabase(name),
)
testDocuments('documents of everything that can be declared, under every scheme', isEverything)
