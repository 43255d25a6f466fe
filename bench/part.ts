/** Runs one part of the benchmark, in a process of its own, and prints its section as JSON: `node part.js http [--quick]`. */
import { describeMachine } from './report/machine.ts'
import type { Measure, Section } from './report/section.ts'

const [name = '', ...options] = process.argv.slice(2)
const { measure }: { readonly measure: Measure } = await import(`./${name}/main.js`)
const section: Section = {
  ...(await measure({ isQuick: options.includes('--quick') })),
  machine: describeMachine(),
}
process.send?.(section)
if (process.send === undefined) console.log(JSON.stringify(section, null, 2))
process.disconnect?.()
