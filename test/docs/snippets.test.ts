import { describeSnippets } from './describe-snippets.ts'

describeSnippets('fast')
