import { brand, shared } from './copies.ts'
import { editDistance } from './edit-distance.ts'
import { capitalize, describeMistake, describeValue, isRecord, limitTraces } from './values.ts'

/** The mistakes that definitions can have; `docs/errors.md` explains each. */
export const DEFINITION_ERRORS = {
  unknown_field: 'a definition has a field that does not exist',
  invalid_field: 'a field has a value of the wrong kind',
  unknown_option: 'an option does not exist',
  invalid_option: 'an option has a value of the wrong kind',
  missing_name: 'a controller has neither a name nor a prefix',
  invalid_name: 'a name cannot be used',
  duplicate_name: 'two different routes or webhooks have the same name',
  invalid_pattern: 'a path pattern cannot be read',
  foreign_pattern: 'a path pattern is written as another framework writes it',
  unknown_param_type: 'a path pattern names a parameter type that is not defined',
  duplicate_param: 'a path pattern names one parameter twice',
  duplicate_param_type: 'two different parameter types have the same name',
  unknown_source: 'input has a key that is not a source',
  invalid_schema: 'a field that needs a schema holds something else',
  unknown_param: 'input.params declares a parameter that the pattern lacks',
  conflicting_sources: 'two sources cannot be used together',
  nested_field: 'a source that arrives as text declares a nested object',
  several_streams: 'a route reads several files as they arrive',
  list_field: 'a source that cannot repeat declares a list',
  invalid_import: 'a module imports something that is not a module',
  missing_provider: 'something injects a token that its module does not see',
  duplicate_provider: 'a module provides one token twice',
  ambiguous_provider: 'a module gets one token from two others',
  unknown_export: 'a module exports what it does not have',
  provider_cycle: 'a provider needs itself',
  scope_mismatch: 'a singleton injects what lives for one request',
  missing_session: 'sessions are injected but not configured',
  unused_override: 'an override replaces nothing',
  unused_without_guards: 'a route drops a guard that does not guard it',
  unused_exclusion: 'an exclusion from the prefix is about no route',
  duplicate_key: 'one key is injected twice',
  invalid_method: 'a method is unknown, or the list of methods is empty',
  invalid_version: 'a version cannot be used',
  invalid_response: 'a response declaration is neither a schema nor statuses with schemas',
  duplicate_problem: 'a route declares two different problems of one code',
  invalid_stream: 'events or items of a route cannot be used',
  missing_guard: 'a guard reads the identity of another one that does not run before it',
  unused_optional: 'an optional guard runs behind its required form',
  misplaced_route: 'a route is in another controller than the one it was defined for',
  circular_router: 'a router contains itself',
  duplicate_route: 'two routes answer the same method, path shape and version',
  version_not_encodable: 'a version cannot be written in the way the scheme reads it',
  version_literal_clash: 'an ordinary path begins with a segment that is a version',
  default_version_unknown: 'the default version is not a known version',
  range_without_versions: 'a version range is used without an ordered list of versions',
  range_empty: 'a version range matches no known version',
  range_split: 'a range goes on above a version that another route names',
  version_not_listed: 'a version is missing from the ordered list of versions',
  version_elsewhere: 'a route has a version that another deployment serves',
  duplicate_version: 'one version is listed twice',
  versions_without_order: 'an option needs versions that have an order, and these have none',
  required_with_default: 'versions are required, and there is a default version',
  unknown_policy_version: 'a policy is for a version that is not known',
  sunset_before_deprecation: 'a version has its sunset before it is deprecated',
  invalid_config: 'a setting is missing or not what a schema wants',
  config_module_failed: 'the module of the settings cannot be loaded',
  duplicate_schema: 'two schemas have the same name in one document',
  duplicate_operation_id: 'two operations of one document have the same id',
  duplicate_security_scheme: 'two different security schemes have the same name',
  invalid_model: 'a model has a name or fields that cannot be used',
  invalid_change: 'a change between versions says something that cannot be used',
  invalid_history: 'versions, models and changes do not fit together',
  unknown_model_field: 'a change names a field that its model does not have',
  field_touched_twice: 'two changes touch the same field, and neither is written against the other',
  half_changed_part: 'a part of a model has some of the fields that a change turns together',
  unused_change: 'a change, or a part of one, reaches no route of an older version',
  unfit: 'older values may not fit the newer schema of a field',
  unconvertible_schema: 'a change reaches a schema whose values cannot be turned',
  missing_package: 'an optional package is needed and not installed',
} as const

/** A code of {@link DEFINITION_ERRORS}. Codes never change meaning. */
export type DefinitionErrorCode = keyof typeof DEFINITION_ERRORS

/** One mistake in a definition. */
export interface DefinitionProblem {
  /** The kind of mistake. docs/errors.md explains each. */
  readonly code: DefinitionErrorCode
  /** The definition with the mistake, with its file and line: `car.getOne: GET /car/{car_id} (src/car.controller.ts:12)`. */
  readonly where: string
  /** The file, relative to the working directory, and the line of the definition: `src/car.controller.ts:12`. Absent if unknown. */
  readonly at?: string
  /** The mistake, in words. */
  readonly message: string
  /** The edit that mends it. */
  readonly fix: string
}

/** Names the other places of a mistake that one edit mends, for the end of its message. */
export function alsoIn([first, second, ...more]: readonly string[]): string {
  if (first === undefined) return ''
  if (second === undefined) return `, as in ${first}`
  return `, as in ${first} and ${more.length === 0 ? second : `${more.length + 1} more`}`
}

/** The warnings about definitions that work; `docs/errors.md` explains each. */
export const DEFINITION_WARNINGS = {
  unreachable_route: 'a route can never be reached',
  default_twice: 'an unversioned route stands beside one for the default version and never answers',
  everything_neutral: 'versioning is enabled, and no route has a version',
  neutral_shadowed: 'a neutral route is replaced in every version',
  parameter_hidden: 'a parameter in the first segment never gets a value that is a version segment',
  version_written_twice: 'a versioned path begins with a version segment of its own',
  version_hole: 'a route exists in an older and in a newer version, but not between them',
  version_without_routes: 'a known version has no route',
  host_label_version: 'a common host label is taken for a version',
  mount_without_guards: 'a router mounts an upstream beside guarded routes that forward to it',
  undocumented_schema: 'a document cannot show a schema',
} as const

/** A code of {@link DEFINITION_WARNINGS}. Codes never change meaning. */
export type DefinitionWarningCode = keyof typeof DEFINITION_WARNINGS

/** Something in a definition that deserves a look, though it works. */
export interface DefinitionWarning extends Omit<DefinitionProblem, 'code'> {
  /** The kind of warning. docs/errors.md explains each. */
  readonly code: DefinitionWarningCode
}

/** Names the field or option that was probably meant, else all there are: the nearest by its letters, or `guards` for `globalGuards`. */
export function suggestion(field: string, names: readonly string[]): string {
  const given = field.toLowerCase()
  const distances = names.map((name) => editDistance(given, name.toLowerCase()))
  const nearest = Math.min(...distances)
  const meant =
    nearest <= 2
      ? names[distances.indexOf(nearest)]
      : names.find((name) => isPart(name.toLowerCase(), given) || isPart(given, name.toLowerCase()))
  return meant === undefined ? `use one of ${names.join(', ')}` : `did you mean "${meant}"?`
}

function isPart(word: string, whole: string): boolean {
  return word.length > 3 && whole.includes(word)
}

/**
 * Every mistake found in the definitions of an application, thrown together.
 *
 * @example
 * try {
 *   createApp(AppModule)
 * } catch (error) {
 *   if (error instanceof DefinitionError) console.error(error.errors)
 * }
 */
export class DefinitionError extends Error {
  /** Every mistake, in the order in which they were found. */
  readonly errors: readonly DefinitionProblem[]

  constructor(errors: readonly DefinitionProblem[], options?: { readonly cause?: unknown }) {
    const all = withOneOfZod(errors)
    super(
      `${all.length === 1 ? 'A mistake' : `${all.length} mistakes`} in the definitions\n${all.map(formatProblem).join('\n')}`,
      options,
    )
    this.name = 'DefinitionError'
    this.errors = all
  }
}

brand(DefinitionError, 'definition-error')

const ZOD_3 = /\ba schema of zod 3\b/

/** Joins the mistakes about schemas of the wrong zod, which are one in many places. */
function withOneOfZod(problems: readonly DefinitionProblem[]): readonly DefinitionProblem[] {
  const [first, ...others] = problems.filter(({ message }) => ZOD_3.test(message))
  if (first === undefined) return problems
  const more =
    others.length === 0 ? '' : `, as in ${others.length} more place${others.length === 1 ? '' : 's'}`
  const fix = "import z from zod 4, which zod 3.25 has as 'zod/v4'"
  const one = { ...first, message: first.message + more, fix }
  return problems.flatMap((problem) => {
    if (problem === first) return [one]
    return others.includes(problem) ? [] : [problem]
  })
}

function formatProblem({ code, where, message, fix }: DefinitionProblem): string {
  return `  ${where}: ${message}. ${capitalize(fix)} [${code}]`
}

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
type NearestDefinitions = readonly (object | undefined)[]

type Caller = (...args: never) => unknown

const traces = /* @__PURE__ */ shared('traces', () => new WeakMap<object, Trace>())

/** Remembers the place of the call of `caller` as that of a definition. It costs about 3 microseconds, and is written when a mistake is reported. */
export function recordLocation<T extends object>(definition: T, caller: Caller): T {
  traces.set(definition, capture(caller, 1))
  return definition
}

/**
 * The error of a call that throws its mistakes at once. A mistake without a place gets the place of `caller`, or of the call `depth` calls
 * above it.
 */
export function errorAt(problems: readonly DefinitionProblem[], caller: Caller, depth = 0): DefinitionError {
  const at = locationOf(capture(caller, depth + 1))
  return new DefinitionError(
    problems.map((problem) => (problem.at === undefined ? atPlace(problem, at) : problem)),
  )
}

/** Adds the place of the first of the definitions that has one to a problem or warning that has none. */
export function atDefinition<P extends Placeable>(problem: P, ...definitions: NearestDefinitions): P {
  return problem.at === undefined ? atPlace(problem, definitionLocation(definitions)) : problem
}

/** Something that is defined, as messages call it. */
interface Labelled {
  readonly label: string
  /** The nearest first. */
  readonly definitions: NearestDefinitions
}

/**
 * Returns how the message about `about` refers to something beside it: its label and its place. The place is left out if it is that of
 * `about`, as it is for two routes that are written inside one controller.
 */
export function labelBeside({ label, definitions }: Labelled, about: Labelled): string {
  const at = definitionLocation(definitions)
  return at === undefined || at === definitionLocation(about.definitions) ? label : `${label} (${at})`
}

/** The place of the first of the definitions that has one, as file and line. */
export function definitionLocation(definitions: NearestDefinitions): string | undefined {
  return locationOf(definitions.map((each) => each && traces.get(each)).find((each) => each !== undefined))
}

/** Adds the place of a definition to the problems of a check that have none. Nested checks may have added a place before. */
export function checkAt<T>(definition: object, problems: DefinitionProblem[], check: () => T): T {
  const before = problems.length
  const result = check()
  if (problems.length > before)
    problems.push(...problems.splice(before).map((problem) => atDefinition(problem, definition)))
  return result
}

/** A `DefinitionError` whose problems have the places of the definitions that `find` returns; any other error as it is. */
export function withLocations(
  error: unknown,
  find: (problem: DefinitionProblem) => NearestDefinitions,
): unknown {
  if (!(error instanceof DefinitionError)) return error
  const problems = error.errors.map((problem) => atDefinition(problem, ...find(problem)))
  return new DefinitionError(problems, error)
}

/** Does a step; what it throws is passed to `fail`, which throws it with places. */
export function orFail<T>(step: () => T, fail: (error: unknown) => never): T {
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
  limitTraces(lines)
  // engines other than V8 may lack it
  Error.captureStackTrace?.(trace, caller)
  limitTraces(stackTraceLimit)
  return trace
}

/** The last line of a trace, its file relative to the working directory, or `undefined` if it cannot be read. */
function locationOf(trace: Trace | undefined): string | undefined {
  try {
    const lines = String(trace?.stack).matchAll(LINE)
    const [, file = '', line] = [...lines].at(-1) ?? []
    return line === undefined ? undefined : `${relativeFile(file)}:${line}`
  } catch {
    // programs may have set an Error.prepareStackTrace that throws or returns no text
    return undefined
  }
}

/** A line of a trace that names a file. Code of `eval` is in none. */
const LINE = /^ +at (?!.*\beval at )(?:.*? \()?((?:file|\/|\w:|webpack).*):(\d+):\d+\)?$/gm

function relativeFile(file: string): string {
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

/** The test that an option has to pass, and how the expectation reads in a message. */
export type OptionRule = readonly [test: (value: unknown) => boolean, expected: string]

/** The rule of an option. The members of an option that is an object have rules of their own, and `more` checks them together. */
type NestedRule = readonly [
  ...rule: OptionRule,
  within?: Rules | undefined,
  more?: (given: Readonly<Record<string, unknown>>) => readonly DefinitionProblem[],
]

export interface Rules {
  readonly [option: string]: NestedRule
}

/** How problems of options are reported: the message about one that does not exist, the names that are proposed, and the codes. */
interface ProblemWording {
  readonly unknown?: (name: string) => string
  readonly names?: readonly string[]
  readonly codes?: readonly [unknown: DefinitionErrorCode, invalid: DefinitionErrorCode]
}

/** Reports the options that do not exist or break their rule. `group` comes before their names, as in `session.`. */
export function optionProblems(
  where: string,
  options: object,
  rules: Rules,
  group = '',
  { unknown = noOption, names = Object.keys(rules), codes = OPTION_CODES }: ProblemWording = {},
): readonly DefinitionProblem[] {
  const [missing, invalid] = codes
  return Object.entries(options).flatMap(([key, value]): readonly DefinitionProblem[] => {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined
    const name = group + key
    if (rule === undefined)
      return [{ code: missing, where, message: unknown(name), fix: suggestion(key, names) }]
    const [test, expected, within, more] = rule
    if (value === undefined) return []
    if (!test(value)) {
      const message = describeMistake(name, value, test, expected)
      return [{ code: invalid, where, message, fix: `give ${expected}` }]
    }
    if (!isRecord(value)) return []
    const inside = within === undefined ? [] : optionProblems(where, value, within, `${name}.`)
    return more === undefined ? inside : [...inside, ...more(value)]
  })
}

const OPTION_CODES = ['unknown_option', 'invalid_option'] as const

function noOption(name: string): string {
  return `there is no option "${name}"`
}

/**
 * Checks the names of options in a call that requests make, where a list of problems would cost too much.
 *
 * @throws `TypeError` for a name that is not among `names`.
 */
export function checkOptionNames(where: string, options: object, names: ReadonlySet<string>): void {
  for (const name in options) if (!names.has(name)) refuseName(where, options, name, names)
}

function refuseName(where: string, options: object, name: string, names: ReadonlySet<string>): void {
  if (Object.hasOwn(options, name))
    throw new TypeError(`${where}: ${noOption(name)}; ${suggestion(name, [...names])}`)
}

/** An option that cannot be used. */
export function invalidOption(where: string, message: string, fix: string): DefinitionProblem {
  return { code: 'invalid_option', where, message, fix }
}

/** Reports those of the options that are missing. */
export function missingOptions(
  where: string,
  options: unknown,
  names: readonly string[],
  fix: string,
): readonly DefinitionProblem[] {
  const given = Object(options)
  return names
    .filter((name) => given[name] === undefined)
    .map((name) => invalidOption(where, `${name} is missing`, fix))
}

/** Checks the options of the middleware `where`. `example` is a correct call. @throws `DefinitionError` with all that is wrong. */
export function checkOptions(
  where: string,
  options: unknown,
  rules: Rules,
  more: readonly DefinitionProblem[] = [],
  example = `${where}({ … })`,
): void {
  const problems = isRecord(options)
    ? [...optionProblems(where, options, rules), ...more]
    : [invalidOption(where, `the options are ${describeValue(options)}`, `write ${example}`)]
  if (problems.length > 0) throw errorAt(problems, checkOptions, 1)
}
