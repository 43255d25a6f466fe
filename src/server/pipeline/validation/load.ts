import { importInTurn } from '../../../base/values.ts'
import type * as Validating from './code.ts'
import { wantZod } from '../../../schema/schema.ts'
import type { toJsonWriter } from '../../../schema/json-writer.ts'
import type { Answered, Checks } from './response-check.ts'

/** The code that reads and validates input and results. Applications without schemas neither load nor bundle it. */
type Code = typeof Validating

/** Loads what compiles schemas into functions that check values and write JSON. */
export type LoadJsonWriter = () => Promise<{ readonly toJsonWriter: typeof toJsonWriter }>

let code: Code | undefined
let isWanted = false
let areFilesWanted = false
let areFormsWanted = false

/** Returns a function that makes something with the code that validates: once, when it is first called in a request. */
export function validating<T>(make: (loaded: Code) => T): () => T {
  wantValidation()
  let made = code === undefined ? undefined : make(code)
  return () => (made ??= make(loaded()))
}

/** Has the code loaded, and zod, for what is made by a request. */
export function wantValidation(): void {
  isWanted = true
  wantZod()
}

/** Has the parser of multipart bodies loaded as well; otherwise the first such body loads it. */
export function wantFiles(): void {
  areFilesWanted = true
}

/** Has the parser loaded when the application is ready, because forms may be multipart bodies. */
export function wantForms(): void {
  areFormsWanted = true
}

/** Loads what the first multipart body would. */
export async function preloadForms(): Promise<void> {
  if (areFormsWanted) await code?.loadMultipart()
}

/** Loads the code if something is validated. Call it before the first request, when everything is compiled. */
export async function loadValidation(loadJsonWriter: LoadJsonWriter | undefined): Promise<void> {
  if (!isWanted) return
  const [loadedCode, writer] = await Promise.all([
    code ?? importInTurn(() => import('./code.ts')),
    loadJsonWriter?.(),
  ])
  code = loadedCode
  if (writer !== undefined) code.writeJsonBy(writer.toJsonWriter)
  if (areFilesWanted) await code.loadMultipart()
}

function loaded(): Code {
  if (code === undefined) throw new Error('The code that validates is not loaded yet')
  return code
}

/** Creates what parses results by the schema of their status, or `undefined` if there is nothing to parse them by. */
export function createChecks(route: Answered, checking: true | 'strict' | false): Checks | undefined {
  if (checking === false || route.responses.size === 0) return undefined
  const create = validating(({ createParsers }) => createParsers(route, checking === 'strict'))
  return {
    parse: (status, data, context) => create().parse(status, data, context),
    write: (status, data) => create().write(status, data),
  }
}
