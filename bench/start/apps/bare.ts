import { report } from './report.ts'

await report()
