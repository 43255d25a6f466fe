import {
  errorAt,
  invalidOption,
  missingOptions,
  optionProblems,
  recordLocation,
  type DefinitionProblem,
  type Rules,
} from '../base/definition-error.ts'
import {
  describeValue,
  ignoreRejection,
  isNonEmptyString,
  isPromise,
  isRecord,
  isString,
} from '../base/values.ts'
import { HttpError, type HttpErrorOptions } from '../http/errors.ts'
import type { Fallback } from './infer.ts'
import { defOf, isSchema, objectShape, type InputOf, type Schema } from '../schema/schema.ts'
import { createValidator, formatIssues } from '../schema/validator.ts'

/** A header as documents describe it. The schema is JSON Schema. */
export interface DescribedHeader {
  /** A text about the header. */
  readonly description: string
  /** The schema of its value, in JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** The mark of a problem in the inferred type of a route: its code, status and the schema of its members. */
export type Declared<C = unknown, S = unknown, M = unknown> = readonly ['declares', C, S, M]

/** A problem whose types are forgotten, as documents and older versions read it. */
export interface AnyProblem {
  /** Distinguishes problems from other definitions. */
  readonly kind: 'problem'
  /** The stable word for programs. */
  readonly code: string
  /** The status of the response. */
  readonly status: number
  /** A short summary of the kind of problem. */
  readonly title: string
  /** A URI that identifies the kind of problem. */
  readonly type?: string | undefined
  /** The schema of its further members. */
  readonly members?: Schema | undefined
  /** A text that documents show. */
  readonly description?: string | undefined
  /** The headers of the response in documents, by name. */
  readonly headers?: Readonly<Record<string, DescribedHeader>> | undefined
  /** An occurrence for documents: the detail and the members. */
  readonly example?: Readonly<Record<string, unknown>> | undefined
  /** The name under which documents share its response. Without one, each operation has its own. @internal */
  readonly component?: string
  /** Further codes of that response. @internal */
  readonly others?: readonly string[]
  /** Carries the type only, never set: a route tells its problems by it. */
  readonly $declares?: Declared
}

/** A problem that handlers throw, as `defineProblem` returns it. `M` is the schema of its members, `undefined` without any. */
export interface Problem<C extends string, S extends number, M> extends AnyProblem {
  /** Creates the error to throw. @throws `TypeError` for members that do not fit their schema. */
  (...given: ProblemArguments<M>): HttpError
  /** The stable word for programs. */
  readonly code: C
  /** The status of the response. */
  readonly status: S
  /** For types alone. */
  readonly $declares?: Declared<C, S, M>
}

/** The headers to send along, and the error behind a problem, which is logged and never sent. */
export type ProblemExtra = Pick<HttpErrorOptions, 'headers' | 'cause'>

/** The arguments of a problem: members may be left out if none is required. */
export type ProblemArguments<M> = [M] extends [undefined]
  ? [detail?: string, members?: undefined, extra?: ProblemExtra]
  : object extends InputOf<M>
    ? [detail?: string, members?: InputOf<M>, extra?: ProblemExtra]
    : [detail: string | undefined, members: InputOf<M>, extra?: ProblemExtra]

/** A problem in a route's list; what it declares is inferred from the phantom field. */
export interface AddedProblem<E> extends Omit<AnyProblem, '$declares'> {
  /** For types alone. */
  readonly $declares?: Fallback<Extract<E, Declared>, Declared>
}

/** An occurrence of a problem, besides its members. */
export interface ProblemExample {
  /** An explanation of this occurrence. */
  readonly detail?: string
}

/** The options of `defineProblem`. */
export interface ProblemOptions<C, S, M> {
  /** A stable word for programs, in snake case: `car_sold`. */
  readonly code: C
  /** The status of the response, 400 to 599. */
  readonly status: S
  /** A short summary of the kind of problem, which is the same for each occurrence. */
  readonly title: string
  /** A URI that identifies the kind of problem. @default `about:blank` */
  readonly type?: string
  /** The schema of further members of the problem document: an object. Members are parsed by it. @default none */
  readonly members?: M
  /** A text for documents. May hold Markdown. @default the title */
  readonly description?: string
  /** The headers of the response in documents, by name. */
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  /** An occurrence for documents: the detail and the members. @default none, if a member is required */
  readonly example?: ProblemExample & ([NoInfer<M>] extends [undefined] ? {} : InputOf<NoInfer<M>>)
}

/**
 * Defines a problem, which is part of the contract of the routes that list it under `problems`: documents and clients show its code, status
 * and members. Call it to create the error to throw.
 *
 * @example
 * const CarSold = defineProblem({ code: 'car_sold', status: 409, title: 'The car is sold', members: z.object({ buyer: z.string() }) })
 * throw CarSold('Ann has bought it', { buyer: 'Ann' })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function defineProblem<
  const C extends string,
  const S extends number,
  M extends Schema | undefined = undefined,
>(options: ProblemOptions<C, S, M>): Problem<C, S, M> {
  const problems = mistakesIn(options)
  if (problems.length > 0) throw errorAt(problems, defineProblem)
  const { code, status, title, type, members } = options
  const parse = members === undefined ? undefined : createMembers(code, members)
  const create = (detail?: string, given: object = {}, extra: ProblemExtra = {}): HttpError =>
    new HttpError(status, detail, {
      ...parse?.(given),
      code,
      title,
      ...(type !== undefined && { type }),
      headers: extra.headers,
      cause: extra.cause,
    })
  // the arguments follow from the schema of the members
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return recordLocation(
    Object.assign(create, options, { kind: 'problem' }),
    defineProblem,
  ) as unknown as Problem<C, S, M>
}

/** Whether the value is a list of problems. */
export function isProblems(value: unknown): value is readonly AnyProblem[] {
  return Array.isArray(value) && value.every((each) => String(Object(each).kind) === 'problem')
}

/** How messages describe such a list. */
export const PROBLEMS_EXPECTED = 'a list of what defineProblem returns, such as [CarSold]'

/**
 * The problem of Octavo's own that this error is an example of, for documents, which share its response under the name `component`.
 * `others` are further codes of the response.
 *
 * @internal
 */
export function ownProblem(
  component: string,
  { code, status, title, type, detail, members }: HttpError,
  description: string,
  headers?: AnyProblem['headers'],
  others?: readonly string[],
): AnyProblem {
  const example = detail === undefined ? members : { detail, ...members }
  return {
    kind: 'problem',
    component,
    code,
    status,
    title,
    type,
    description,
    headers,
    example,
    ...(others && { others }),
  }
}

/** Creates the function that parses the members of a problem. What cannot be known at once is sent as it is given. */
function createMembers(code: string, schema: Schema): (given: object) => object {
  const validate = createValidator(schema)
  return (given) => {
    const parsed = validate(given)
    if (isPromise(parsed)) {
      ignoreRejection(parsed)
      return given
    }
    if ('issues' in parsed)
      throw new TypeError(`The members of the problem ${code} do not fit: ${formatIssues(parsed.issues)}`)
    return Object(parsed.value)
  }
}

const WHERE = 'defineProblem'

const RULES: Rules = {
  code: [
    (value) => isString(value) && /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(value),
    "a word in snake case, such as 'car_sold'",
  ],
  status: [
    (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
    'a status from 400 to 599',
  ],
  title: [isNonEmptyString, "a short text, such as 'The car is sold'"],
  type: [isNonEmptyString, 'a URI'],
  members: [
    (value) => isSchema(value) && defOf(value).type === 'object',
    'an object schema, such as z.object({ buyer: z.string() })',
  ],
  description: [isNonEmptyString, 'a text'],
  headers: [isRecord, 'headers by name'],
  example: [isRecord, "an occurrence, such as { detail: 'Ann has bought it', buyer: 'Ann' }"],
}

/** The members that problem documents have by themselves, and those that go with an error. */
const RESERVED = new Set(['type', 'title', 'status', 'detail', 'instance', 'code', 'headers', 'cause'])

function mistakesIn(options: unknown): readonly DefinitionProblem[] {
  const example = `${WHERE}({ code: 'car_sold', status: 409, title: 'The car is sold' })`
  if (!isRecord(options))
    return [invalidOption(WHERE, `the options are ${describeValue(options)}`, `write ${example}`)]
  const where = typeof options['code'] === 'string' ? `${WHERE} ${options['code']}` : WHERE
  const found = [
    ...missingOptions(where, options, ['code', 'status', 'title'], `write ${example}`),
    ...optionProblems(where, options, RULES),
  ]
  const { members, example: shown } = options
  if (found.length > 0 || !isSchema(members)) return found
  const reserved = Object.keys(objectShape(members)).filter((name) => RESERVED.has(name))
  return [
    ...reserved.map((name) =>
      invalidOption(where, `members.${name} is a member of every problem`, 'give the member another name'),
    ),
    ...(shown === undefined || reserved.length > 0 ? [] : wrongExample(where, members, shown)),
  ]
}

function wrongExample(where: string, members: Schema, shown: unknown): readonly DefinitionProblem[] {
  const parsed = createValidator(members)(withoutDetail(shown))
  if (isPromise(parsed) || !('issues' in parsed)) return []
  return [
    invalidOption(
      where,
      `example does not fit members: ${formatIssues(parsed.issues)}`,
      'write members that fit',
    ),
  ]
}

function withoutDetail(example: unknown): object {
  const { detail: _detail, ...members } = Object(example)
  return members
}
