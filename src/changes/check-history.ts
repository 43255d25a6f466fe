import { atDefinition, optionProblems, type DefinitionProblem, type Rules } from '../base/definition-error.ts'
import { isSchema } from '../schema/schema.ts'
import { describeValue, isRecord, isString, isNonEmptyString, toRecord } from '../base/values.ts'
import { compareVersions, hasOrder, isRange } from '../versioning/version.ts'
import { changeKinds } from './check-change.ts'
import { modelOf } from './chain.ts'
import { modelName } from './model.ts'

/** A version that requests may name by other texts, too. */
export interface SpelledVersion<V extends string = string> {
  /** Its name in documents, types, responses and counts. */
  readonly version: V
  /** The texts that stand for it, such as `2.0` or `beta`. */
  readonly also: readonly string[]
}

/** The arguments of `defineVersions`. */
interface Given {
  readonly versions: unknown
  readonly models: unknown
  readonly changes: unknown
  readonly next?: unknown
}

const ANY: Rules[string] = [() => true, 'a value']
/** The options, whose values are reported in detail below. */
const OPTIONS: Rules = {
  versions: ANY,
  models: ANY,
  changes: ANY,
  next: ANY,
  messages: [
    (value) => Array.isArray(value) && value.every(isSchema),
    'a list of schemas, such as [OrderPlaced]',
  ],
}

/** Every mistake in what `defineVersions` takes that can be seen without looking into schemas. */
export function historyProblems(given: unknown): readonly DefinitionProblem[] {
  return isRecord(given)
    ? [
        ...optionProblems('defineVersions', given, OPTIONS),
        ...givenProblems({ versions: undefined, models: undefined, changes: undefined, ...given }),
      ]
    : [
        refuse(
          `the options are ${describeValue(given)}`,
          'write defineVersions({ versions, models, changes })',
        ),
      ]
}

function givenProblems({ versions: given, models, changes, next }: Given): readonly DefinitionProblem[] {
  if (!Array.isArray(given) || given.length === 0 || !given.every(isVersion))
    return [
      refuse(
        'versions is no list of versions',
        "list them newest first: versions: ['2', '1'], or { version: '1', also: ['1.0'] } for one with other texts. Dates such as sunset belong to versioning.versions of createApp",
      ),
    ]
  const versions = given.map((each) => (isString(each) ? each : each.version))
  const texts = [...versions, ...given.flatMap((each) => (isString(each) ? [] : each.also))]
  if (!isRecord(models) || !Object.values(models).every((each) => modelName(each) !== undefined))
    return [refuse('models is no record of models', 'write models: { User }, with the result of model()')]
  if (!Array.isArray(changes))
    return [refuse(`changes is ${describeValue(changes)}`, 'write changes: [splitName]')]
  if (next !== undefined && (!isString(next) || next === 'next' || texts.includes(next)))
    return [
      refuse(`next is ${describeValue(next, true)}`, 'give the version that comes after those of the list'),
    ]
  const twice = texts.filter((text, index) => texts.indexOf(text) !== index)
  const list: readonly unknown[] = changes
  // documents could show only one of two models with one name
  const names = [...new Set(Object.values(models))].map(modelName)
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [
    ...twice.map((text) => refuse(`versions lists "${text}" twice`, 'let each text stand for one version')),
    ...orderProblems(versions, next),
    ...sameIds(list),
    ...[...shared].map((name) => refuse(`two models have the name ${name}`, 'give one of them another name')),
    ...earlierNames(list, versions, Object.values(models)),
    ...list.flatMap((change) => changeProblems(change, versions, Object.values(models))),
  ]
}

/** Versions without an order of their own have that of the list. */
function orderProblems(versions: readonly string[], next: string | undefined): readonly DefinitionProblem[] {
  if (!versions.every(hasOrder)) return []
  const [newest = ''] = versions
  const sorted = versions.toSorted((a, b) => compareVersions(b, a))
  if (sorted.some((version, index) => version !== versions[index])) {
    const list = sorted.map((version) => `'${version}'`).join(', ')
    return [refuse('versions is not in order', `list them newest first: versions: [${list}]`)]
  }
  if (next === undefined || !hasOrder(next) || compareVersions(next, newest) > 0) return []
  return [refuse(`next is "${next}", which is not newer than "${newest}"`, 'give a newer version')]
}

function isVersion(value: unknown): value is string | SpelledVersion {
  if (!isRecord(value)) return isString(value)
  const { version, also, ...others } = value
  const isList = Array.isArray(also) && also.every((text) => isNonEmptyString(text) && !isRange(text))
  return isString(version) && isList && Object.keys(others).length === 0
}

function refuse(message: string, fix: string, change?: object): DefinitionProblem {
  return atDefinition({ code: 'invalid_history', where: 'defineVersions', message, fix }, change)
}

function sameIds(changes: readonly unknown[]): readonly DefinitionProblem[] {
  const ids = new Set<unknown>()
  return changes.flatMap((change): readonly DefinitionProblem[] => {
    if (!isRecord(change)) return []
    const { id } = change
    if (!isNonEmptyString(id) || !ids.has(id)) {
      ids.add(id)
      return []
    }
    return [refuse(`two changes have the id "${id}"`, 'give one of them another title, or an id', change)]
  })
}

interface EarlierName {
  readonly model: unknown
  readonly was: unknown
  readonly change: object
  /** The index of the version that ended it. */
  readonly index: number
}

/** Earlier names of models that are no other ones, or that another model had. */
function earlierNames(
  changes: readonly unknown[],
  versions: readonly string[],
  models: readonly unknown[],
): readonly DefinitionProblem[] {
  const all = changes.filter(isRecord).flatMap((change) => {
    const index = versions.indexOf(String(change['version']))
    const parts: readonly unknown[] = Array.isArray(change['change']) ? change['change'] : []
    return parts.flatMap((part): readonly EarlierName[] => {
      const { named } = toRecord(part)
      return isRecord(named) ? [{ model: modelOf(part), was: named['was'], change, index }] : []
    })
  })
  const nameAt = (model: unknown, index: number): unknown =>
    all.filter((each) => each.model === model && each.index < index).toSorted((a, b) => b.index - a.index)[0]
      ?.was ?? modelName(model)
  return all.flatMap(({ model, was, change, index }): readonly DefinitionProblem[] => {
    const name = modelName(model) ?? ''
    if (nameAt(model, index) === was)
      return [
        refuse(
          `${name} was called ${String(was)} too`,
          'give the name that the model had, or remove it',
          change,
        ),
      ]
    const isTaken = models.some((other) => other !== model && nameAt(other, index + 1) === was)
    return isTaken
      ? [
          refuse(
            `${name} was called ${String(was)}, which is the name of another model`,
            'give the name that the model had',
            change,
          ),
        ]
      : []
  })
}

function changeProblems(
  change: unknown,
  versions: readonly string[],
  models: readonly unknown[],
): readonly DefinitionProblem[] {
  if (!isRecord(change) || !('id' in change))
    return [refuse('changes holds something that is no change', 'list the results of defineVersionChange')]
  const { version } = change
  const id = String(change['id'])
  const parts: readonly unknown[] = Array.isArray(change['change']) ? change['change'] : []
  const index = versions.indexOf(String(version))
  const newer = [...versions.slice(0, -1), 'next']
  const about = id === '' ? 'a change' : `the change "${id}"`
  const misordered = newer.includes(String(version))
    ? []
    : [
        refuse(
          misorderedMessage(version, index, about),
          newer.length === 1 ? "list a newer version, or give 'next'" : `give one of ${newer.join(', ')}`,
          change,
        ),
      ]
  return [
    ...misordered,
    ...changeKinds(change),
    ...parts.flatMap((part) => partProblems(part, id, models, change)),
  ]
}

function misorderedMessage(version: unknown, index: number, about: string): string {
  if (version === undefined) return `version is missing in ${about}`
  return index === -1
    ? `the version ${describeValue(version, true)} of ${about} is not listed`
    : `the version ${describeValue(version, true)} of ${about} is the oldest one, and nothing is before it`
}

function partProblems(
  part: unknown,
  id: string,
  models: readonly unknown[],
  change: object,
): readonly DefinitionProblem[] {
  if (!isRecord(part) || !PARTS.has(part['kind'])) {
    const fix = 'list the results of reshape, operation and reformatErrors'
    return [refuse(`the change "${id}" holds ${describeValue(part)}`, fix, change)]
  }
  if (part['kind'] !== 'reshape') return []
  const { of } = part
  const model = isRecord(of) && of['kind'] === 'before' ? of['model'] : of
  const name = modelName(model)
  if (name === undefined || models.includes(model)) return []
  // models is what has to be edited, and not the change
  return [refuse(`models does not list ${name}, which the change "${id}" reshapes`, `add ${name} to models`)]
}

const PARTS: ReadonlySet<unknown> = new Set(['reshape', 'operation', 'webhook', 'reformat'])
