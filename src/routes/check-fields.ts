import {
  optionProblems,
  type OptionRule,
  type Rules,
  type DefinitionProblem,
} from '../base/definition-error.ts'
import { METHODS } from '../http/http.ts'
import { isForwardTarget } from '../define/context.ts'
import { isProblems, PROBLEMS_EXPECTED } from '../define/problem.ts'
import { COPIED_OPTIONS, type AnyRoute } from '../define/route.ts'
import { isSchema } from '../schema/schema.ts'
import { isRange, VERSION_NEUTRAL, cutVersion, MAX_VERSION_LENGTH } from '../versioning/version.ts'
import { isBoolean, isFunction, isObject, isRecord, isString, isNonEmptyString } from '../base/values.ts'

const isListOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(test)
const isVersionEntry = (value: unknown): boolean => value === VERSION_NEUTRAL || isNonEmptyString(value)

const TEXT: OptionRule = [isString, 'a string']
const FLAG: OptionRule = [isBoolean, 'true or false']
const RECORD: OptionRule = [isRecord, "an object, such as { 'x-internal': true }"]

const SHARED = {
  version: [
    (value) =>
      isVersionEntry(value) || (isListOf(isVersionEntry)(value) && Array.isArray(value) && value.length > 0),
    "a version as a string ('1'), a list of them, a range ('>=1 <3') or VERSION_NEUTRAL",
  ],
  tags: [isListOf(isString), 'a list of strings'],
  deprecated: FLAG,
  // reported in detail by `routePolicyProblems`
  policy: [() => true, 'an object'],
  includeInSchema: FLAG,
  problems: [isProblems, PROBLEMS_EXPECTED],
} as const satisfies Rules

/** Whether the value was made by a function that makes one of these kinds of definition. */
export const isDefinition =
  (...kinds: readonly string[]) =>
  (value: unknown): boolean =>
    // functions too, because a limit is both middleware and a guard
    kinds.includes(String(Object(value).kind))

/** Whether the value was made by a function that makes this kind of definition, and has the function that makes it useful. */
function isMadeBy(kind: string, method: string): (value: unknown) => boolean {
  return (value) => isDefinition(kind)(value) && typeof Reflect.get(Object(value), method) === 'function'
}

const ROUTERS: OptionRule = [
  isListOf(isDefinition('router')),
  'a list of what defineRouter returns, such as [adminRouter]',
]
/** The rules of middleware, guards, interceptors and error handlers. */
export const LAYER_RULES = {
  guards: [
    isListOf(isMadeBy('guard', 'canActivate')),
    'a list of what defineGuard returns, such as [SignedIn]',
  ],
  interceptors: [
    isListOf(isMadeBy('interceptor', 'intercept')),
    'a list of what defineInterceptor returns, such as [Envelope]',
  ],
  middleware: [
    isListOf((value) => typeof value === 'function'),
    'a list of functions, such as [async (context, next) => next()]',
  ],
  errorHandlers: [
    isListOf(isMadeBy('error-handler', 'handle')),
    'a list of what defineErrorHandler returns, such as [outOfStock]',
  ],
} as const satisfies Rules
const LIST: OptionRule = [Array.isArray, 'a list']
const FUNCTION: OptionRule = [isFunction, 'a function']
const GROUP: Rules = {
  ...SHARED,
  ...LAYER_RULES,
  kind: TEXT,
  name: TEXT,
  prefix: TEXT,
  meta: RECORD,
}
const RECORD_OF_TOKENS: OptionRule = [isRecord, 'tokens by key, such as { cars: CarService }']
const ROUTES: OptionRule = [
  isListOf(isObject),
  "a list of route objects, such as [{ method: 'GET', handler }]",
]

/** The fields of each kind of definition. */
export const FIELDS = {
  module: {
    ...SHARED,
    ...LAYER_RULES,
    kind: TEXT,
    name: TEXT,
    prefix: TEXT,
    imports: LIST,
    providers: LIST,
    exports: LIST,
    schemas: [
      (value) => isObject(value) && Object.values(Object(value)).every(isSchema),
      'an object of zod schemas, such as { Car, Driver }',
    ],
    global: FLAG,
    onStart: FUNCTION,
    onStop: FUNCTION,
    controllers: [
      isListOf(isDefinition('controller')),
      'a list of what defineController returns, such as [carController]',
    ],
    routers: ROUTERS,
  },
  controller: {
    ...GROUP,
    inject: RECORD_OF_TOKENS,
    routes: ROUTES,
  },
  router: {
    ...GROUP,
    routes: ROUTES,
    routers: ROUTERS,
    mount: [
      (value) => isFunction(value) || isForwardTarget(value),
      'a function, or what defineUpstream returns',
    ],
  },
  route: {
    ...SHARED,
    ...LAYER_RULES,
    withoutGuards: LAYER_RULES.guards,
    method: [() => true, 'a method or a list of methods'],
    path: TEXT,
    name: TEXT,
    meta: RECORD,
    status: [
      (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
      'a status from 200 to 599',
    ],
    ...COPIED_OPTIONS,
    openapi: RECORD,
    input: [isRecord, 'schemas by source, such as { body: CreateCar }'],
    response: [isObject, 'a schema, or schemas by status, such as { 200: Car, 404: Problem }'],
    // reported in detail by `toStream`
    events: [() => true, 'a schema, or schemas by name, such as { car: Car }'],
    items: [() => true, 'a schema, such as Car'],
    // reported in detail by `placementProblems`
    controller: [
      isObject,
      "what a route needs of its controller, such as { prefix: '/cars' }",
      { prefix: TEXT, inject: RECORD_OF_TOKENS, guards: LAYER_RULES.guards },
    ],
    handler: [isFunction, 'a function, such as ({ params }) => find(params.id)'],
  } satisfies Readonly<Record<keyof AnyRoute, Rules[string]>>,
} as const satisfies Readonly<Record<string, Rules>>

/** The fields that our own functions set, which messages do not propose. */
const SET: readonly string[] = ['kind', 'controller']

const REQUIRED: Readonly<Record<keyof typeof FIELDS, readonly string[]>> = {
  module: [],
  controller: ['routes'],
  router: [],
  route: ['method'],
}

/** Reports the fields of a definition that do not exist, are missing, or hold a value of the wrong kind. */
export function checkFields(
  kind: keyof typeof FIELDS,
  definition: object,
  where: string,
): readonly DefinitionProblem[] {
  const rules: Rules = FIELDS[kind]
  const missing = REQUIRED[kind].filter((field) => !(field in definition))
  if (kind === 'route' && !('forward' in definition) && !('handler' in definition)) missing.push('handler')
  return [
    ...answeredTwice(definition, where),
    ...missing.map((field): DefinitionProblem => ({
      code: 'invalid_field',
      where,
      message: `the ${kind} has no ${field}`,
      fix: `give it ${rules[field]?.[1] ?? field}`,
    })),
    ...optionProblems(where, definition, rules, '', {
      unknown: (field) => `a ${kind} has no field "${field}"`,
      names: Object.keys(rules).filter((name) => !SET.includes(name)),
      codes: ['unknown_field', 'invalid_field'],
    }),
  ]
}

function answeredTwice(definition: object, where: string): readonly DefinitionProblem[] {
  if (!('forward' in definition && 'handler' in definition)) return []
  const fix = 'keep one of them: forward sends requests to the API behind, and handler answers here'
  return [{ code: 'invalid_field', where, message: 'the route has both handler and forward', fix }]
}

/** The methods of a route; a problem when there are none, one is unknown, or one can't be upgraded. */
export function checkMethods(
  {
    method,
    upgrade,
    forward,
  }: { readonly method?: unknown; readonly upgrade?: unknown; readonly forward?: unknown },
  where: string,
): readonly DefinitionProblem[] {
  // a route without method is reported as such
  if (method === undefined) return []
  const methods: readonly unknown[] = Array.isArray(method) ? method : [method]
  if (methods.length === 0) {
    return [
      {
        code: 'invalid_method',
        where,
        message: 'the list of methods is empty',
        fix: `name one of ${METHODS.join(', ')}`,
      },
    ]
  }
  if (upgrade !== undefined && forward === undefined && methods.join() !== 'GET') {
    const message = `upgrade is beside the method ${methods.join(', ')}`
    return [{ code: 'invalid_method', where, message, fix: "write method: 'GET'" }]
  }
  return methods.flatMap((value): DefinitionProblem[] =>
    METHODS.some((known) => known === value)
      ? []
      : [
          {
            code: 'invalid_method',
            where,
            message: `${JSON.stringify(value)} is not a method`,
            fix: `use one of ${METHODS.join(', ')}`,
          },
        ],
  )
}

/** Reports versions that no request could name. */
export function checkVersions(version: unknown, where: string): readonly DefinitionProblem[] {
  const entries: readonly unknown[] = Array.isArray(version) ? version : [version]
  return entries.flatMap((entry): DefinitionProblem[] => {
    if (typeof entry !== 'string' || isRange(entry)) return []
    if (entry.length > MAX_VERSION_LENGTH) {
      const message = `the version "${cutVersion(entry)}" has more than ${MAX_VERSION_LENGTH} characters`
      return [{ code: 'invalid_version', where, message, fix: 'write it as requests name it' }]
    }
    if (!/\s/.test(entry)) return []
    // "v 1" most likely means version 1
    const written = entry
      .trim()
      .replace(/^v\s+(?=\d)/i, '')
      .replaceAll(/\s+/g, '')
    const fix = written === '' ? "write it as requests name it, such as '1'" : `write version: '${written}'`
    return [{ code: 'invalid_version', where, message: `the version "${entry}" has blanks`, fix }]
  })
}
