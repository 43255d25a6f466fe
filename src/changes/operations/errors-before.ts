import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { BodyLayer, ErrorsBefore, HistoryCode } from '../../routes/resolved-route.ts'
import type { Schema } from '../../schema/schema.ts'
import { createToOlder } from './body-layer.ts'
import { changeProblem, type AnyChange } from '../chain.ts'
import { createStuckIn, positionProblems } from '../check-used.ts'
import { isString } from '../../base/values.ts'
import { isSameSchema, schemasIn, valuesOf } from '../convert/compare.ts'
import type { ChangeExtra } from '../convert/converter.ts'
import type { Plans } from '../convert/plans.ts'
import { isOperation } from './operation.ts'
import { isReformat, type AnyReformat } from './reformat-errors.ts'
import { toBodyLayer } from '../version-layer.ts'
import { zod } from '../zod.ts'

/** The parts of a history that conversions of errors are made of. */
interface ErrorParts {
  readonly changes: readonly AnyChange[]
  readonly ages: ReadonlyMap<string, number>
  readonly plans: Plans
}

/** A reformat with its change. */
interface OrderedReformat {
  readonly order: number
  readonly change: AnyChange
  readonly reformat: AnyReformat
}

/** Lists the reformats of changes, newest first. */
export function reformatsOf(changes: readonly AnyChange[]): readonly OrderedReformat[] {
  return changes.flatMap((change, order) =>
    change.change.filter(isReformat).map((reformat) => ({ order, change, reformat })),
  )
}

/** Lists the schemas that errors have and had. `newest` is that of the error format. */
export function errorSchemas(newest: Schema | undefined, changes: readonly AnyChange[]): readonly Schema[] {
  return [
    ...(newest === undefined ? [] : [newest]),
    ...reformatsOf(changes).map(({ reformat }) => reformat.was),
  ]
}

/** Creates the function that finds the body of errors in versions. */
export function createErrorsBefore(parts: ErrorParts): HistoryCode['errorsBefore'] {
  const { ages, changes, plans } = parts
  const reformats = reformatsOf(changes)
  const made = new Map<Schema | undefined, ErrorsBefore | undefined>()
  const create = (newest: Schema | undefined): ErrorsBefore | undefined => {
    const isReached = errorSchemas(newest, changes).some((schema) => plans.reachOf(schema).length > 0)
    if (reformats.length === 0 && !isReached) return undefined
    const known = new Map<string, BodyLayer | undefined>()
    return (version, status) => {
      const age = ages.get(version) ?? 0
      const key = `${age} ${status}`
      if (!known.has(key)) known.set(key, toLayer(newest, status, reformats, { age, plans }))
      return known.get(key)
    }
  }
  return (newest) => {
    if (!made.has(newest)) made.set(newest, create(newest))
    return made.get(newest)
  }
}

function toLayer(
  newest: Schema = zod.unknown(),
  status: number,
  reformats: readonly OrderedReformat[],
  { age, plans }: Pick<ErrorParts, 'plans'> & { readonly age: number },
): BodyLayer | undefined {
  const bodies = reformats
    .filter(({ order }) => order < age)
    .map(({ change, reformat: { now = newest, was, down } }) => ({
      change,
      now,
      was,
      convert: (value: unknown, extra: ChangeExtra) => down(value, Object.assign(extra, { status })),
      narrowed: false,
    }))
  const conversion = createToOlder(newest, bodies, age, plans)
  return conversion.toOlder && toBodyLayer({ label: LABEL }, conversion)
}

const LABEL = 'The error format'

/** Lists the mistakes of what changes say of the body of all errors. */
export function errorFormatProblems(
  newest: Schema | undefined,
  { changes, plans }: ErrorParts,
): readonly DefinitionProblem[] {
  let newer = newest
  const wrong = reformatsOf(changes).flatMap(({ change, reformat: { now, was } }, index) => {
    const isSame = now === undefined || newer === undefined ? now === newer : isSameSchema(now, newer)
    const [message, fix] = index === 0 && newest === undefined ? NO_FORMAT : WRONG_NOW
    newer = was
    return isSame ? [] : [changeProblem(change, message, fix, 'invalid_change')]
  })
  const schemas = errorSchemas(newest, changes)
  const loading = schemas.flatMap((schema) =>
    [...plans.stepsIn(schema)].filter(({ reshape }) => reshape.load !== undefined),
  )
  return [
    ...wrong,
    ...changes.flatMap((change) => refusedCodes(newest, change)),
    ...[...new Set(loading.map(({ change }) => change))].map((change) =>
      changeProblem(change, ...LOADING, 'invalid_change'),
    ),
    ...positionProblems(
      schemas.map((schema) => ({ position: 'errorFormat.schema', schema, isSent: true })),
      { label: LABEL, definitions: [] },
      createStuckIn(plans),
    ),
  ]
}

/** Finds codes that errors had and the format refuses, which writes errors of older versions too. */
function refusedCodes(format: Schema | undefined, change: AnyChange): readonly DefinitionProblem[] {
  const listed = format === undefined ? [] : [...schemasIn(format)].map(valuesOf)
  const errors = change.change.filter(isOperation).flatMap((own) => Object.entries(own.errors ?? {}))
  return errors.flatMap(([code, { was }]) => {
    const older = isString(was) ? was : was?.code
    if (older === undefined || !listed.some((codes) => codes.has(code) && !codes.has(older))) return []
    const message = `operation.errors.${code} was ${older}, which the schema of the error format does not list beside ${code}`
    return [
      changeProblem(change, message, `list ${older} in the schema of the format, or take any text there`),
    ]
  })
}

const NO_FORMAT = [
  'reformatErrors.now is given, and the application has no error format',
  'leave now out, or give createApp the errorFormat',
] as const
const WRONG_NOW = [
  'reformatErrors.now is not the schema of the error format',
  'give the schema of defineErrorFormat, or what a newer change says that it was',
] as const
const LOADING = [
  'it loads data for a model in the error format, and errors are converted at once',
  'put what the older version needs into the model, or use another model in the error format',
] as const
