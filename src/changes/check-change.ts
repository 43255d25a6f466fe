import {
  optionProblems,
  atDefinition,
  type OptionRule,
  type Rules,
  type DefinitionProblem,
} from '../base/definition-error.ts'
import { ERRORS } from '../http/errors.ts'
import { isProblems } from '../define/problem.ts'
import { isMediaToken } from '../http/media-type.ts'
import { defOf, isSchema } from '../schema/schema.ts'
import {
  describeValue,
  isBoolean,
  isFunction,
  isPositive,
  isRecord,
  isString,
  isNonEmptyString,
  toRecord,
} from '../base/values.ts'
import { isModelName } from './model.ts'
import { isWebhookName } from './operations/webhook-names.ts'
import { INPUT_SOURCES } from './operations/whole-input.ts'
import { KIND_ROWS, NAMES, STATUS } from './operations/operation-kinds.ts'
import { absent, isUsableName } from './was.ts'

const ANY: OptionRule = [() => true, 'any value']
const TEXT: OptionRule = [isNonEmptyString, 'a text']
const FUNCTION: OptionRule = [isFunction, 'a function']
const BOOLEAN: OptionRule = [isBoolean, 'true or false']
const LIST: OptionRule = [Array.isArray, 'a list']
const SCHEMAS: OptionRule = [(value) => Array.isArray(value) && value.every(isSchema), 'a list of schemas']
const RECORD: OptionRule = [isRecord, 'an object']
const COUNT: OptionRule = [isPositive, 'a whole number above 0']

const CHANGE: Rules = {
  version: ANY,
  title: TEXT,
  description: [isString, 'a text'],
  id: TEXT,
  change: LIST,
  sideEffects: BOOLEAN,
  internal: BOOLEAN,
}

const RESHAPE: Rules = {
  kind: ANY,
  of: ANY,
  fields: ANY,
  named: ANY,
  responseOnly: BOOLEAN,
  refine: FUNCTION,
  inject: RECORD,
  load: [
    (value) => isFunction(value) || (isRecord(value) && Object.values(value).every(isFunction)),
    'a function, or { up, down }',
  ],
  up: FUNCTION,
  down: FUNCTION,
  reads: NAMES,
  applies: SCHEMAS,
  not: SCHEMAS,
  lossy: NAMES,
  examples: [
    (value) =>
      Array.isArray(value) &&
      value.every((each) => isRecord(each) && isRecord(each['old']) && isRecord(each['now'])),
    'a list of { old, now }',
  ],
}

const FIELD: Rules = {
  was: ANY,
  up: FUNCTION,
  down: FUNCTION,
  narrowed: BOOLEAN,
  accepted: BOOLEAN,
  kept: BOOLEAN,
}

const OPERATION: Rules = {
  kind: ANY,
  route: [
    (value) => [value].flat().length > 0 && [value].flat().every(isNonEmptyString),
    'a text, or a list of texts',
  ],
  ...Object.fromEntries(
    KIND_ROWS.filter(([kind]) => !kind.includes('.')).map(([kind, { rule = RECORD }]) => [kind, rule]),
  ),
  response: RECORD,
  inject: RECORD,
  before: LIST,
}
const RESPONSE: Rules = Object.fromEntries(
  KIND_ROWS.flatMap(([kind]) => {
    const [member, own] = kind.split('.')
    return member === 'response' && own !== undefined ? [[own, RECORD]] : []
  }),
)
const REFORMAT: Rules = {
  kind: ANY,
  now: [isSchema, 'a schema'],
  was: [isSchema, 'a schema'],
  down: FUNCTION,
}
const EVENT_NAME: OptionRule = [isWebhookName, "a name of words and full stops, such as 'car.sold'"]
const WEBHOOK: Rules = { kind: ANY, webhook: EVENT_NAME, name: ANY }
const NAMED: Rules = { was: [isModelName, "a name such as 'User'"] }

/** Every value of the wrong kind in a change. Types find these mistakes too, but only in TypeScript. */
export function changeKinds(change: Readonly<Record<string, unknown>>): readonly DefinitionProblem[] {
  const { id, change: parts } = change
  const where = isNonEmptyString(id) ? `change "${id}"` : 'defineVersionChange'
  const list: readonly unknown[] = Array.isArray(parts) ? parts : []
  // an id is made from the title, so only the title is missing
  const given = change['title'] === undefined && id === '' ? { ...change, id: undefined } : change
  return [
    ...optionProblems(where, given, CHANGE),
    ...missing(where, change, '', {
      title: 'a few words for changelogs',
      change: 'a list of reshapes and operations',
    }),
    ...list.flatMap((part) => partKinds(where, part)),
    ...keptTwice(where, list),
  ].map((problem) => atDefinition({ ...problem, code: 'invalid_change' }, change))
}

function partKinds(where: string, part: unknown): readonly DefinitionProblem[] {
  if (!isRecord(part)) return []
  if (part['kind'] === 'reshape')
    return [
      ...optionProblems(where, part, RESHAPE, 'reshape.'),
      ...earlier(where, part['named'], NAMED, 'reshape.named'),
      ...eachMember(part['fields'], (key, field) =>
        isRecord(field)
          ? [
              ...optionProblems(where, field, FIELD, `fields.${key}.`),
              ...acceptedProblems(where, field, `fields.${key}`),
            ]
          : [],
      ),
    ]
  if (part['kind'] === 'reformat')
    return [
      ...missing(where, part, 'reformatErrors.', {
        was: 'the schema before the change',
        down: 'the function that returns the older body',
      }),
      ...optionProblems(where, part, REFORMAT, 'reformatErrors.'),
    ]
  if (part['kind'] === 'webhook')
    return [
      ...optionProblems(where, part, WEBHOOK, 'operation.'),
      ...missing(where, part, 'operation.', { name: 'the name that the webhook had, as { was }' }),
      ...earlier(where, part['name'], { was: EVENT_NAME }, 'operation.name'),
    ]
  return part['kind'] === 'operation' ? operationKinds(where, part) : []
}

function operationKinds(where: string, part: Readonly<Record<string, unknown>>): Found {
  const { response } = part
  const responses = isRecord(response) ? response : {}
  return [
    ...optionProblems(where, part, OPERATION, 'operation.'),
    ...missing(where, part, 'operation.', { route: "the name of a route, such as 'user.list'" }),
    ...KIND_ROWS.flatMap(([kind, { earlier: rules }]) =>
      rules === undefined ? [] : earlier(where, part[kind], rules, `operation.${kind}`),
    ),
    ...['query', 'headers', 'cookies'].flatMap((source) => namesWere(where, part[source], source)),
    ...optionProblems(where, responses, RESPONSE, 'operation.response.'),
    ...namesWere(where, responses['headers'], 'response.headers'),
    ...everywhereProblems(where, part),
    ...eachMember(part['errors'], (code, error) => errorKinds(where, code, error)),
    ...eachMember(part['events'], (name, event) =>
      earlier(where, event, { was: TEXT }, `operation.events.${name}`),
    ),
    ...(part['body'] === undefined ? [] : bodyKinds(where, part['body'], 'body')),
    ...(part['input'] === undefined ? [] : inputKinds(where, part)),
    ...(part['paged'] === undefined ? [] : bodyKinds(where, part['paged'], 'paged')),
    ...(isRecord(part['paged']) && isRecord(responses['body']) && '200' in responses['body']
      ? [
          wrong(
            where,
            'operation.paged is about the response 200, as operation.response.body.200 is',
            'keep one',
          ),
        ]
      : []),
    ...eachMember(responses['body'], (key, body) => [
      ...(STATUS[0](Number(key))
        ? []
        : [wrong(where, `operation.response.body has ${key}`, `name ${STATUS[1]}`)]),
      ...bodyKinds(where, body, `response.body.${key}`),
    ]),
    ...eachMember(responses['status'], (key, was) =>
      earlier(where, was, { was: STATUS }, `operation.response.status.${key}`),
    ),
  ]
}

type Found = readonly DefinitionProblem[]

/** Lists names that several reshapes keep. A handler would get one of the values. */
function keptTwice(where: string, parts: readonly unknown[]): Found {
  const names = parts.flatMap((part) =>
    Object.entries(toRecord(toRecord(part)['fields'])).flatMap(([name, field]) =>
      toRecord(field)['kept'] === true ? [name] : [],
    ),
  )
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...twice].map((name) =>
    wrong(
      where,
      `two reshapes keep ${name}, and context.kept has one of them`,
      'describe one of them in a change of its own',
    ),
  )
}

/** Lists the mistakes of values that are accepted as they are. */
function acceptedProblems(where: string, field: Readonly<Record<string, unknown>>, name: string): Found {
  const { accepted, was, up, narrowed } = field
  if (accepted !== true) return []
  if (up !== undefined)
    return [wrong(where, `${name}.accepted has no effect: up makes the value`, 'remove one of the two')]
  if (narrowed === true)
    return [wrong(where, `${name} is accepted and narrowed`, 'keep accepted, or narrowed for a 422')]
  if (isSchema(was)) return []
  return [wrong(where, `${name}.accepted has no effect: was is no schema`, 'remove it')]
}

/** Members of an operation of all routes that only some can have. */
function everywhereProblems(where: string, part: Readonly<Record<string, unknown>>): Found {
  if (![part['route']].flat().includes('*')) return []
  return Object.keys(part)
    .filter((key) => !EVERYWHERE.has(key))
    .map((key) => wrong(where, `operation of '*' has ${key}`, 'name the routes that it is about'))
}

const EVERYWHERE = new Set([
  'kind',
  'route',
  ...KIND_ROWS.flatMap(([kind, { isForAllRoutes }]) => (isForAllRoutes === true ? [kind] : [])),
])

const ERROR_STATUS: OptionRule = [
  (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
  'a status between 400 and 599',
]
const ERROR: Rules = {
  now: [(value) => isProblems([value]), 'what defineProblem returns'],
  was: [
    (value) => isString(value) || isProblems([value]),
    "the code that it had, or what defineProblem returns, such as 'old_code'",
  ],
  status: ERROR_STATUS,
  down: FUNCTION,
}

/** Lists the mistakes of an error. The members of Octavo's own errors are equal in every version. */
function errorKinds(where: string, code: string, given: unknown): Found {
  const label = `operation.errors.${code}`
  if (Object.hasOwn(ERRORS, code))
    return [wrong(where, `${label} is a problem of Octavo, which is the same in every version`, 'remove it')]
  if (!isRecord(given) || Object.keys(given).length === 0)
    return [
      wrong(
        where,
        `${label} is ${describeValue(given)}`,
        "write { was: 'old_code' }, { status } or { down }",
      ),
    ]
  return optionProblems(where, given, ERROR, `${label}.`)
}

/** Lists the mistakes of sources that are described as a whole. */
function inputKinds(where: string, part: Readonly<Record<string, unknown>>): Found {
  const { input: given } = part
  const label = 'operation.input'
  const was: unknown = isRecord(given) ? given['was'] : undefined
  if (!isRecord(given) || !isRecord(was) || Object.keys(was).length === 0)
    return [
      wrong(
        where,
        `${label} is ${describeValue(given)}`,
        'write input: { was: { query: z.object({ … }) }, up: (old) => ({ query: { … } }) }',
      ),
    ]
  return [
    ...missing(where, given, `${label}.`, { up: 'the function that returns the newest sources' }),
    ...optionProblems(where, given, INPUT, `${label}.`),
    ...optionProblems(where, was, INPUT_WAS, `${label}.was.`),
    ...Object.keys(was)
      .filter((source) => part[source] !== undefined)
      .map((source) =>
        wrong(
          where,
          `${label}.was.${source} and operation.${source} describe one source`,
          'keep one of the two',
        ),
      ),
  ]
}

const INPUT: Rules = { was: ANY, up: FUNCTION, narrowed: BOOLEAN }
const INPUT_WAS: Rules = Object.fromEntries(
  INPUT_SOURCES.map((source): [string, OptionRule] => [
    source,
    source === 'body'
      ? [(value) => isSchema(value) || value === absent, 'a schema or absent']
      : [(value) => isSchema(value) && defOf(value).type === 'object', 'a z.object({ … })'],
  ]),
)

/** Lists the mistakes of a whole body. */
function bodyKinds(where: string, given: unknown, name: string): Found {
  const label = `operation.${name}`
  if (!isRecord(given))
    return [
      wrong(where, `${label} is ${describeValue(given)}`, `write ${name}: { now: schema, was: schema }`),
    ]
  const isRequest = name === 'body'
  const schema: OptionRule = [isSchema, 'a schema']
  const was: OptionRule = isRequest
    ? [(value) => isSchema(value) || value === absent, 'a schema or absent']
    : schema
  const isPaged = name === 'paged'
  const side = isRequest ? 'up' : 'down'
  const rules: Rules = {
    now: schema,
    was,
    load: FUNCTION,
    [side]: FUNCTION,
    ...(isRequest && { narrowed: BOOLEAN }),
    ...(isPaged && { atMost: COUNT, next: FUNCTION }),
  }
  const isIdle = given['load'] !== undefined && given[side] === undefined
  return [
    ...(isIdle
      ? [
          wrong(
            where,
            `${label}.load has no effect: no ${side} gets its result`,
            `write ${side}, or remove it`,
          ),
        ]
      : []),
    ...missing(where, given, `${label}.`, {
      now: 'the schema of the route',
      was: 'the schema before the change',
      ...(isPaged && { atMost: 'the most items that older versions send' }),
    }),
    ...optionProblems(where, given, rules, `${label}.`),
  ]
}

function eachMember(value: unknown, check: (key: string, member: unknown) => Found): Found {
  return isRecord(value) ? Object.entries(value).flatMap(([key, member]) => check(key, member)) : []
}

function missing(
  where: string,
  given: Readonly<Record<string, unknown>>,
  group: string,
  wanted: Readonly<Record<string, string>>,
): Found {
  return Object.entries(wanted).flatMap(([key, words]): Found =>
    given[key] === undefined ? [wrong(where, `${group}${key} is missing`, `give ${words}`)] : [],
  )
}

function wrong(where: string, message: string, fix: string): DefinitionProblem {
  return { code: 'invalid_change', where, message, fix }
}

/** Lists the mistakes of `{ was }`. */
function earlier(where: string, given: unknown, rules: Rules, name: string): Found {
  if (given === undefined) return []
  if (isRecord(given) && given['was'] !== undefined) return optionProblems(where, given, rules, `${name}.`)
  return [
    wrong(where, `${name} is ${describeValue(given)}`, `write ${name.replace(/^\w+\./, '')}: { was: … }`),
  ]
}

function namesWere(where: string, names: unknown, source: string): Found {
  return eachMember(names, (key, field) => {
    const name = `operation.${source}.${key}`
    if (!isRecord(field)) return [wrong(where, `${name} is ${describeValue(field)}`, WRITE_WAS)]
    const [side, why] =
      source !== 'response.headers'
        ? ['down', 'values of requests are converted by up']
        : [
            field['was'] === absent ? 'down' : 'up',
            'headers of responses are converted by down, if they existed',
          ]
    const idle =
      field[side] === undefined ? [] : [wrong(where, `${name}.${side} has no effect: ${why}`, 'remove it')]
    return [
      ...idle,
      ...optionProblems(where, field, source === 'response.headers' ? HEADER : NAME, `${name}.`),
      ...acceptedProblems(where, field, name),
      ...(isString(field['was']) || field['was'] === absent || isSchema(field['was'])
        ? []
        : [wrong(where, `${name}.was is ${describeValue(field['was'], true)}`, WRITE_WAS)]),
      ...oldNameProblems(where, isString(field['was']) ? field['was'] : key, source, name),
    ]
  })
}

/** How messages call a value of a source. */
const KINDS: Readonly<Record<string, string>> = { query: 'parameter', cookies: 'cookie' }

/** A name that older requests or responses cannot have. */
function oldNameProblems(where: string, old: string, source: string, name: string): Found {
  const isOk = isUsableName(old) && (source === 'query' || isMediaToken(old))
  if (isOk) return []
  const kind = KINDS[source] ?? 'header'
  return [
    wrong(
      where,
      `${name} was called ${describeValue(old, true)}, which no ${kind} can be`,
      'give the name that it had',
    ),
  ]
}

const HEADER: Rules = { was: ANY, up: FUNCTION, down: FUNCTION }
const NAME: Rules = { ...HEADER, accepted: BOOLEAN }
const WRITE_WAS = "write { was: schema }, { was: absent } or { was: 'oldName' }"
