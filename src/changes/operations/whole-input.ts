import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import type { ValidationIssue } from '../../http/errors.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { isSchema, type Schema } from '../../schema/schema.ts'
import type { SourceName } from '../../schema/sources.ts'
import { changeProblem } from '../chain.ts'
import { RefusedError, callBlamed, createMadeCheck, threwIn, type Extra } from '../convert/converter.ts'
import { toldOf } from '../convert/program.ts'
import { zod } from '../zod.ts'
import { reparsedProblem } from './bodies.ts'
import type { AppliedOperation, InputSource, InputWas } from './operation.ts'

/** The sources that an operation can describe as a whole. */
export const INPUT_SOURCES: readonly InputSource[] = ['params', 'query', 'headers', 'cookies', 'body']

/** An operation that describes sources of requests as a whole, and makes the newest ones of them. */
export interface InputChange {
  readonly input: InputWas
  readonly change: AppliedOperation['change']
  readonly sources: readonly InputSource[]
  /** The operations before this one, newest first. Its function makes the input of its version, so operations since then follow it. */
  readonly older: readonly AppliedOperation[]
}

/** The sources that an operation describes as a whole. */
export function inputSources({ input }: Pick<AppliedOperation, 'input'>): readonly InputSource[] {
  return input === undefined ? [] : INPUT_SOURCES.filter((source) => input.was[source] !== undefined)
}

/** The operations that describe input as a whole, oldest first. `applied` are newest first. */
export function inputChanges(applied: readonly AppliedOperation[]): readonly InputChange[] {
  return [...applied.entries()].toReversed().flatMap(([index, operation]): readonly InputChange[] => {
    const { input, change } = operation
    const sources = inputSources(operation)
    return input === undefined ? [] : [{ input, change, sources, older: applied.slice(index + 1) }]
  })
}

/** A source that an operation describes as a whole. */
interface InputBefore extends Pick<InputChange, 'change' | 'older'> {
  /** `undefined` for a source that did not exist. */
  readonly schema: Schema | undefined
}

/**
 * The oldest operation that describes a source as a whole, with those that are older. `undefined` stands for a source that is declared as in
 * the newest version. `changes` are oldest first.
 */
export function inputBefore(source: SourceName, changes: readonly InputChange[]): InputBefore | undefined {
  const found = changes.find(({ sources }) => sources.some((each) => each === source))
  if (found === undefined) return undefined
  const was = Object.entries(found.input.was).find(([name]) => name === source)?.[1]
  return { schema: isSchema(was) ? was : undefined, change: found.change, older: found.older }
}

/** Converts the sources of an older version into those of the change's version. Adds an issue for each value that its schemas refuse. */
export type ConvertInput = (
  input: Readonly<Record<string, unknown>>,
  extra: Extra,
  issues: ValidationIssue[],
) => Readonly<Record<string, unknown>>

/** The input of a route in a version, as functions of changes return it. */
type InputState = Pick<ResolvedRoute, 'pattern' | 'sources'>

/** Creates the function that makes the input of the version of an operation. */
export function createInputUp(
  { input: { up, narrowed }, change, sources }: InputChange,
  state: InputState,
): ConvertInput {
  const blamed = { change, fields: sources }
  const sent = narrowed === true ? [] : undefined
  const checks = sources.map((source) => [source, createSourceCheck(state, source, change, sent)] as const)
  return (input, extra, issues) => {
    const old = Object.fromEntries(sources.map((source) => [source, input[source]]))
    const made = callBlamed(blamed, () => up(old, toldOf(extra)))
    const mistake = strayOf(made, sources)
    if (mistake !== undefined) throw threwIn(blamed, new TypeError(`up of an input ${mistake}`))
    const newest = toRecord(made)
    extra.altered?.(change.id)
    return Object.fromEntries(
      checks.map(([source, check]) => [source, orRefused(() => check(newest[source]), source, issues)]),
    )
  }
}

/** The mistake in the result of a function that has to return some sources, or `undefined` for none. */
export function strayOf(made: unknown, sources: readonly string[]): string | undefined {
  if (!isRecord(made)) return 'returned no object'
  const other = Object.keys(made).find((name) => !sources.includes(name))
  return other === undefined ? undefined : `returned ${other}, which is not in its was`
}

function orRefused(check: () => unknown, source: InputSource, issues: ValidationIssue[]): unknown {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    for (const { code, message, path } of error.issues) {
      const keys = path.map((key) => (typeof key === 'number' ? key : String(key)))
      issues.push({ in: source, path: keys, code, message })
    }
    return undefined
  }
}

/** Creates the check of a source that a function made, by what the version declares. It returns the parsed source. */
function createSourceCheck(
  { pattern, sources }: InputState,
  source: InputSource,
  change: AppliedOperation['change'],
  sent: readonly string[] | undefined,
): (made: unknown) => unknown {
  const declared = sources.find(({ name }) => name === source)?.schema
  if (source === 'params') return createParamsCheck(pattern, declared, change, sent)
  if (declared !== undefined) {
    const check = createMadeCheck(declared, change, source, sent, true)
    return (made) => check(source === 'body' ? made : toRecord(made))
  }
  const nothing = createMadeCheck(zod.strictObject({}), change, source)
  return (made) => (made === undefined ? undefined : void nothing(made))
}

/** Creates the check of path parameters: those that no schema reads have the types of the path. */
function createParamsCheck(
  pattern: ResolvedRoute['pattern'],
  declared: Schema | undefined,
  change: AppliedOperation['change'],
  sent: readonly string[] | undefined,
): (made: unknown) => unknown {
  const fields = pattern.params.map(({ name, type }) => {
    const isOfType = (value: unknown): boolean => {
      const text = value === undefined ? '' : type.format(value)
      return type.test(text, 0, text.length)
    }
    return [name, zod.unknown().refine(isOfType, `Invalid input: no ${type.name}`)] as const
  })
  const checkTypes = createMadeCheck(
    zod.looseObject(Object.fromEntries(fields)),
    change,
    'params',
    sent,
    true,
  )
  const check = declared === undefined ? undefined : createMadeCheck(declared, change, 'params', sent, true)
  return (made) => {
    const params = toRecord(checkTypes(toRecord(made)))
    return check === undefined ? params : { ...params, ...toRecord(check(params)) }
  }
}

/** The operations that describe input as a whole, and cannot make the newest one. `applied` are newest first. */
export function inputProblems(
  route: ResolvedRoute,
  applied: readonly AppliedOperation[],
): readonly DefinitionProblem[] {
  return applied.flatMap(({ change, input }) =>
    route.sources.flatMap(({ name, schema }): readonly DefinitionProblem[] => {
      const was = Object.entries(input?.was ?? {}).find(([source]) => source === name)?.[1]
      const found = isSchema(was) ? reparsedProblem(`operation.input.was.${name}`, schema, was) : undefined
      return found === undefined
        ? []
        : [changeProblem(change, ...found, 'invalid_change', ...route.definitions)]
    }),
  )
}
