import { DefinitionError, type DefinitionProblem } from './definition-error.ts'

/** Lines of a stack. V8 collects them at once and writes them when `stack` is read, by source maps if there are any. */
interface Trace {
  readonly stack?: string
}

/** A problem or a warning. */
interface Placeable {
  readonly where: string
  readonly at?: string
}

/** Definitions that may have a place, the nearest first. */
type Definitions = readonly (object | undefined)[]

type Caller = (...args: never) => unknown

const traces = new WeakMap<object, Trace>()

/** Remembers the place of the call of `caller` as that of a definition. It costs about 3 microseconds, and is written when a mistake is reported. */
export function placed<T extends object>(definition: T, caller: Caller): T {
  traces.set(definition, capture(caller, 1))
  return definition
}

/** The error of mistakes in a call that throws it at once: those without a place have that of `caller`, or of the call `depth` calls above it. */
export function errorAt(problems: readonly DefinitionProblem[], caller: Caller, depth = 0): DefinitionError {
  const at = toPlace(capture(caller, depth + 1))
  return new DefinitionError(
    problems.map((problem) => (problem.at === undefined ? atPlace(problem, at) : problem)),
  )
}

/** Adds the place of the first of the definitions that has one to a problem or warning that has none. */
export function atDefinition<P extends Placeable>(problem: P, ...definitions: Definitions): P {
  return problem.at === undefined ? atPlace(problem, placeOf(definitions)) : problem
}

/** Something that is defined, as messages call it. */
interface Labelled {
  readonly label: string
  /** The nearest first. */
  readonly definitions: Definitions
}

/**
 * Returns how the message about `about` refers to something beside it: its label and its place. The place is left out if it is that of
 * `about`, as it is for two routes that are written inside one controller.
 */
export function labelBeside({ label, definitions }: Labelled, about: Labelled): string {
  const at = placeOf(definitions)
  return at === undefined || at === placeOf(about.definitions) ? label : `${label} (${at})`
}

/** The place of the first of the definitions that has one, as file and line. */
export function placeOf(definitions: Definitions): string | undefined {
  return toPlace(definitions.map((each) => each && traces.get(each)).find((each) => each !== undefined))
}

/** Adds the place of a definition to those problems of a check that have none. What the check calls may add others before. */
export function checkAt<T>(definition: object, problems: DefinitionProblem[], check: () => T): T {
  const before = problems.length
  const result = check()
  if (problems.length > before)
    problems.push(...problems.splice(before).map((problem) => atDefinition(problem, definition)))
  return result
}

/** A `DefinitionError` whose problems have the places of the definitions that `find` returns; any other error as it is. */
export function withPlaces(error: unknown, find: (problem: DefinitionProblem) => Definitions): unknown {
  if (!(error instanceof DefinitionError)) return error
  const problems = error.errors.map((problem) => atDefinition(problem, ...find(problem)))
  return new DefinitionError(problems, error)
}

/** Does a step; what it throws is passed to `fail`, which throws it with places. */
export function attempt<T>(step: () => T, fail: (error: unknown) => never): T {
  try {
    return step()
  } catch (error) {
    return fail(error)
  }
}

/** Adds a place to a problem or warning, if there is one. */
function atPlace<P extends Placeable>(problem: P, at: string | undefined): P {
  return at === undefined ? problem : { ...problem, at, where: `${problem.where} (${at})` }
}

function capture(caller: Caller, lines: number): Trace {
  const trace: Trace = {}
  const { stackTraceLimit } = Error
  // not assigned, because programs may have frozen it
  Reflect.set(Error, 'stackTraceLimit', lines)
  // engines other than V8 may lack it
  Error.captureStackTrace?.(trace, caller)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  return trace
}

/** The last line of a trace, its file relative to the working directory, or `undefined` if it cannot be read. */
function toPlace(trace: Trace | undefined): string | undefined {
  try {
    const lines = String(trace?.stack).matchAll(LINE)
    const [, file = '', line] = [...lines].at(-1) ?? []
    return line === undefined ? undefined : `${toPath(file)}:${line}`
  } catch {
    // programs may have set an Error.prepareStackTrace that throws or returns no text
    return undefined
  }
}

/** A line of a trace that names a file. Code of `eval` is in none. */
const LINE = /^ +at (?!.*\beval at )(?:.*? \()?((?:file|\/|\w:|webpack).*):(\d+):\d+\)?$/gm

function toPath(file: string): string {
  const path = file.startsWith('file:') ? decodeURIComponent(new URL(file).pathname) : file
  const folder = workingDirectory()
  const plain = path.replaceAll('\\', '/').replace(/^\/(?=\w:)/, '')
  return folder !== undefined && plain.startsWith(folder) ? plain.slice(folder.length) : plain
}

function workingDirectory(): string | undefined {
  try {
    return `${process.cwd().replaceAll('\\', '/')}/`
  } catch {
    // it was removed, or there is no process
    return undefined
  }
}
