import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { inputIssues, invalidInput } from '../../../schema/invalid-input.ts'
import { MAX_ISSUES, type Validated } from '../../../schema/validator.ts'
import type { DeclaredSource, SourceName } from '../../../schema/sources.ts'
import type { ValidationIssue } from '../../../http/errors.ts'
import { isPromise, type Awaitable } from '../../../base/values.ts'
import { isStream, type FinishedResponse } from '../../../http/http.ts'
import {
  requireContentType,
  createBodyReader,
  createSourceReader,
  type PathTexts,
  type ReadBody,
  type ReadingSettings,
  type ReadSource,
} from '../../request/read-sources.ts'
import { createUploads, type Uploads } from '../../request/uploads.ts'
import type { RequestContext } from '../context.ts'
import type { Run } from '../guards.ts'

/** The input of a handler: `params`, `inject`, and each source that its route declares. */
export interface Input extends Partial<Record<SourceName, unknown>> {
  readonly params: Record<string, unknown>
  inject: unknown
}

export type RunHandler = (context: RequestContext, input: Input) => Awaitable<FinishedResponse>

/** Starts an input from the texts of the path's parameters. */
export type ToInput = (values: readonly string[]) => Input

interface DeclaredReader {
  readonly name: SourceName
  readonly source: DeclaredSource
  readonly read: ReadSource
}

/**
 * Puts the reading and validating of sources before what answers. There is one way for routes with a single source and one for the others,
 * so that a request pays only for what its route declares.
 */
export function withSources(
  route: ResolvedRoute,
  reading: ReadingSettings,
  toInput: ToInput,
  answer: RunHandler,
): Run {
  const uploads = createUploads(route.sources)
  const readers = route.sources.map((source) => ({
    name: source.name,
    source,
    read: createSourceReader(source, reading, uploads),
  }))
  const [only, ...others] = readers
  if (only === undefined) return (context, values) => answer(context, toInput(values))
  const textsOf = readers.some(({ name }) => name === 'params') ? createTexts(route) : noTexts
  const toRun = (): Run => {
    if (others.length > 0) return withSeveral(readers, toInput, textsOf, answer)
    if (only.name === 'body') return withBodyAlone(only, createBodyReader(only.source), toInput, answer)
    return withOne(only, toInput, textsOf, answer)
  }
  const run = toRun()
  const stopped = uploads?.streams === true ? withStop(uploads, run) : run
  return route.methods.includes('QUERY') && hasBody(route) ? withContentType(route, stopped) : stopped
}

/** Whether Octavo reads the body; without these sources that is for the handler to do, and to check. */
function hasBody({ sources }: ResolvedRoute): boolean {
  return sources.some(({ name }) => name === 'body' || name === 'form' || name === 'files')
}

function withContentType({ sources }: ResolvedRoute, run: Run): Run {
  return (context, values) => {
    if (context.method === 'QUERY') requireContentType(context.request, sources)
    return run(context, values)
  }
}

/**
 * Has the body read no further once the handler is done, so that the answer is sent as one to a request that was not read to its end.
 * A response that is a stream may still be made of it.
 */
function withStop(uploads: Uploads, run: Run): Run {
  return async (context, values) => {
    let isRead = true
    try {
      const response = await run(context, values)
      isRead = !isStream(response.body)
      return response
    } finally {
      if (isRead) uploads.stop(context.request)
    }
  }
}

type TextsOf = (values: readonly string[]) => PathTexts

type Accept = (context: RequestContext, input: Input, outcome: Validated) => Awaitable<FinishedResponse>

/** Creates the function that goes on with what validation says of a single source. */
function createAccept(reader: DeclaredReader, answer: RunHandler): Accept {
  const { name } = reader
  return (context, input, outcome) => {
    if ('issues' in outcome) throw invalidInput(inputIssues(name, outcome.issues), outcome.count)
    put(input, name, outcome.value)
    return answer(context, input)
  }
}

/** A body alone: the handler runs as soon as the body is there, in one promise. */
function withBodyAlone(
  reader: DeclaredReader,
  readBody: ReadBody,
  toInput: ToInput,
  answer: RunHandler,
): Run {
  const accept = createAccept(reader, answer)
  return (context, values) => {
    const input = toInput(values)
    return readBody(context.request, (outcome) => accept(context, input, outcome))
  }
}

function withOne(reader: DeclaredReader, toInput: ToInput, textsOf: TextsOf, answer: RunHandler): Run {
  const { read } = reader
  const accept = createAccept(reader, answer)
  return (context, values) => {
    const input = toInput(values)
    const outcome = read(context.request, textsOf(values), context)
    return isPromise(outcome)
      ? outcome.then((settled) => accept(context, input, settled))
      : accept(context, input, outcome)
  }
}

function withSeveral(
  readers: readonly DeclaredReader[],
  toInput: ToInput,
  textsOf: TextsOf,
  answer: RunHandler,
): Run {
  const accept = (
    context: RequestContext,
    input: Input,
    outcomes: readonly Validated[],
  ): Awaitable<FinishedResponse> => {
    const problems: ValidationIssue[] = []
    let count = 0
    for (const [index, reader] of readers.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) continue
      if ('issues' in outcome) {
        problems.push(...inputIssues(reader.name, outcome.issues))
        count += outcome.count ?? outcome.issues.length
      } else put(input, reader.name, outcome.value)
    }
    if (count > 0) throw invalidInput(problems.slice(0, MAX_ISSUES), count)
    return answer(context, input)
  }
  return (context, values) => {
    const input = toInput(values)
    const outcomes = readSources(readers, context, textsOf(values))
    if (areSettled(outcomes)) return accept(context, input, outcomes)
    return Promise.all(outcomes.map(async (outcome) => outcome)).then((settled) =>
      accept(context, input, settled),
    )
  }
}

function areSettled(outcomes: readonly Awaitable<Validated>[]): outcomes is readonly Validated[] {
  return !outcomes.some(isPromise)
}

function readSources(
  readers: readonly DeclaredReader[],
  context: RequestContext,
  texts: PathTexts,
): readonly Awaitable<Validated>[] {
  const outcomes: Awaitable<Validated>[] = []
  try {
    const { request } = context
    for (const { read } of readers) outcomes.push(read(request, texts, context))
  } catch (error) {
    // what is under way may fail too: nobody waits for it any more
    for (const outcome of outcomes) if (isPromise(outcome)) outcome.then(undefined, () => undefined)
    throw error
  }
  return outcomes
}

/** Sets a source of the input: the schema of the path's parameters counts for more than their types. */
function put(input: Input, name: SourceName, value: unknown): void {
  if (name === 'params') Object.assign(input.params, value)
  else input[name] = value
}

/** Creates the function that names the texts of the path's parameters, for a schema to read. That of an older version has its names. */
function createTexts({ pattern, shownPattern = pattern }: ResolvedRoute): TextsOf {
  const names = shownPattern.params.map(({ name }) => name)
  return (values) => {
    const texts: Record<string, string> = Object.create(null)
    for (const [index, name] of names.entries()) texts[name] = values[index] ?? ''
    return texts
  }
}

const NO_TEXTS: PathTexts = Object.freeze(Object.create(null))
const noTexts: TextsOf = () => NO_TEXTS
