import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { toRulesPage } from './page.ts'

/** Writes docs/rules.md from the table of rules and the pairs of the tests. */
writeFileSync(join(import.meta.dirname, '../../docs/rules.md'), toRulesPage())
