import { isFunction, isRecord, isString, toRecord } from '../../base/values.ts'
import { findHistoryInternals, type ChangeConcern } from '../../changes/internals.ts'
import { exampleOf, type ModelExample } from '../../gate/changelog/change-example.ts'
import type { ChangelogSource } from '../../gate/changelog/create-changelog.ts'
import { refOf } from '../../base/json-schema.ts'
import { toPlainJson } from '../../gate/json.ts'
import { PROBLEM_SCHEMAS } from '../../openapi/document/problems.ts'
import type { App } from '../../server/app/app.ts'
import { internalsOf } from '../../server/adapters/internals.ts'

/** Reads what a changelog tells of an application, which has been prepared. */
export function readChangelogSources(app: App): readonly ChangelogSource[] {
  const { versioning, routes, settings } = internalsOf(app, 'octavo changelog')
  const history = versioning()?.history
  const changes = findHistoryInternals(history)?.concerns(routes(), settings.errorFormat?.schema) ?? []
  const served = app
    .versions()
    .filter((each) => each.elsewhere !== true && each.routes.length > 0)
    .map(({ version, deprecated, sunset, retired }) => ({
      version,
      deprecated,
      sunset,
      isRetired: retired !== 'serve',
      document: withoutOwnProblems(app.openapi({ version })),
      changes: changes.filter((change) => change.version === version),
    }))
  return served.map((newer, index) => {
    const older = served[index - 1]
    return older === undefined
      ? newer
      : { ...newer, examples: toModelExamples(newer.changes, { history, newer, older }) }
  })
}

interface Neighbours {
  readonly history: unknown
  readonly newer: Pick<ChangelogSource, 'version' | 'document'>
  readonly older: Pick<ChangelogSource, 'version' | 'document'>
}

/** Values of each model that changes reshape, converted in both directions. Those that ask for a decision have none. */
function toModelExamples(
  changes: readonly ChangeConcern[],
  { history, newer, older }: Neighbours,
): readonly ModelExample[] {
  const { models, migrate } = toRecord(history)
  const convert = (name: string, from: Neighbours['newer'], to: Neighbours['newer']): readonly Pair[] => {
    const schemas = toRecord(toRecord(Reflect.get(from.document, 'components'))['schemas'])
    const schema = schemas[name] ?? schemas[`${name}Output`]
    const model = toRecord(models)[name]
    const value = exampleOf(schema, schemas, [name])
    if (!isFunction(migrate) || model === undefined || !isRecord(value)) return []
    try {
      const asked = { from: from.version, to: to.version }
      const made = toPlainJson(Reflect.apply(migrate, history, [model, structuredClone(value), asked]))
      return isRecord(made) ? [[value, made]] : []
    } catch {
      // a value is left to fill in, or the change loads values of a request
      return []
    }
  }
  const names = new Set(changes.flatMap((change) => change.models))
  return [...names].flatMap((model) => [
    ...convert(model, newer, older).map(([after, before]) => ({ model, before, after })),
    ...convert(model, older, newer).map(([before, after]) => ({ model, before, after })),
  ])
}

type Pair = readonly [from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>]

/** A document without the errors of Octavo itself, which are no changes of the API. */
function withoutOwnProblems(document: object): object {
  const plain = toRecord(toPlainJson(document))
  const shared = toRecord(toRecord(plain['components'])['responses'])
  const toResponse = (response: unknown): readonly unknown[] => {
    const { $ref } = toRecord(response)
    const name = isString($ref) ? $ref.slice('#/components/responses/'.length) : undefined
    const found = toRecord(name === undefined ? response : shared[name])
    if (!isRecord(found['content'])) return [response]
    const content = mapMembers(found['content'], withoutOwnSchemas)
    return Object.keys(content).length === 0 ? [] : [{ ...found, content }]
  }
  const toOperation = (operation: unknown): readonly unknown[] => [
    isRecord(operation) && isRecord(operation['responses'])
      ? { ...operation, responses: mapMembers(operation['responses'], toResponse) }
      : operation,
  ]
  return { ...plain, paths: mapMembers(plain['paths'], (item) => [mapMembers(item, toOperation)]) }
}

const OWN = new Set(Object.keys(PROBLEM_SCHEMAS))

function isOwn(schema: unknown): boolean {
  return OWN.has(refOf(toRecord(schema)) ?? '')
}

/** A media type of a response without Octavo's own alternatives; none if it has no others. */
function withoutOwnSchemas(media: unknown): readonly unknown[] {
  const { schema } = toRecord(media)
  const { anyOf } = toRecord(schema)
  if (isOwn(schema)) return []
  if (!Array.isArray(anyOf)) return [media]
  const others = anyOf.filter((each) => !isOwn(each))
  if (others.length === 0) return []
  return [{ ...toRecord(media), schema: others.length === 1 ? others[0] : { anyOf: others } }]
}

/** Maps the members of an object. A member that is mapped to an empty list is left out. */
function mapMembers(
  value: unknown,
  map: (member: unknown) => readonly unknown[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(toRecord(value)).flatMap(([key, member]) => map(member).map((made) => [key, made])),
  )
}
