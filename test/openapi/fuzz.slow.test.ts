import { testDocuments } from './fuzz/suite.ts'

const isEverything = (name: string): boolean => name.startsWith('everything')

testDocuments(
  'who has only the document of an example can call every operation, and gets what it says',
  (name) => !isEverything(name) && name !== 'shop',
)
testDocuments('documents of everything that can be declared, under every scheme', isEverything)
