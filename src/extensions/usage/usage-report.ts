import {
  checkOptionNames,
  checkOptions,
  invalidOption,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import { defineController, type Controller } from '../../define/module.ts'
import type { AnyGuard } from '../../define/layers.ts'
import { HttpError, ValidationError, type ValidationIssue } from '../../http/errors.ts'
import { USAGE_RULES, type UsageEntry, type UsageOptions } from '../../server/options/usage.ts'
import { openStoredUsage } from '../../server/services/usage/stored-usage.ts'
import { isObject, isRecord, isString } from '../../base/values.ts'
import { VERSION_NEUTRAL } from '../../versioning/version.ts'

/** The options of `createUsageReport`. */
export interface UsageReportOptions {
  /** The option `usage` of the application, with its store. The report walks the days that it keeps. */
  readonly usage: UsageOptions & Required<Pick<UsageOptions, 'store'>>
  /** The guards of the endpoint, at least one, because counts name your clients. */
  readonly guards: readonly AnyGuard[]
  /** The path of the endpoint. @default '/usage' */
  readonly path?: string
}

/** Which entries are read. Without a member, all are. */
export interface UsageFilter {
  /** The first day in UTC, such as `'2026-01-31'`. */
  readonly since?: string | undefined
  /** The version that answered. An empty text stands for routes without versions. */
  readonly version?: string | undefined
  /** The name of the route. */
  readonly route?: string | undefined
  /** The name of the client. An empty text stands for requests without one. */
  readonly client?: string | undefined
}

/** Reads what the option `usage` counted. */
export interface UsageReport {
  /** Serves the entries as JSON to a GET, in every version. Documents don't show it. */
  readonly controller: Controller<'usage', string, readonly []>
  /** Reads the entries of all processes, oldest day first, as they were stored last. Rejects if the store fails. */
  read(filter?: UsageFilter): Promise<readonly UsageEntry[]>
}

const WHERE = 'createUsageReport'

const FILTER: ReadonlySet<string> = new Set(['since', 'version', 'route', 'client'])

const RULES: Rules = {
  usage: [isRecord, 'the object that the option usage of createApp is', USAGE_RULES],
  guards: [(value) => Array.isArray(value) && value.every(isObject), 'a list of guards'],
  path: [(value) => isString(value) && value.startsWith('/'), "a path, such as '/usage'"],
}

/**
 * Creates a report on the counts in a store, and the controller that serves it as JSON to dashboards.
 *
 * @example
 * const usage = { store }
 * const report = createUsageReport({ usage, guards: [IsOperator] })
 * const AppModule = defineModule({ imports: [CarsModule], controllers: [report.controller] })
 * const app = createApp(AppModule, { usage })
 *
 * @throws `DefinitionError` when an option is wrong, or without guards.
 */
export function createUsageReport(options: UsageReportOptions): UsageReport {
  checkOptions(WHERE, options, RULES, missing(options), `${WHERE}({ usage, guards: [IsOperator] })`)
  const { usage, guards, path = '/usage' } = options
  const stored = openStoredUsage(usage.store, usage.keep)
  const read = async (filter: UsageFilter = {}): Promise<readonly UsageEntry[]> => {
    checkOptionNames('UsageReport.read', filter, FILTER)
    const { since, version, route, client } = filter
    const entries = await stored.read(since)
    return entries.filter(
      (entry) =>
        (version === undefined || (entry.version ?? '') === version) &&
        (route === undefined || entry.route === route) &&
        (client === undefined || (entry.client ?? '') === client),
    )
  }
  const controller = defineController({
    name: 'usage',
    prefix: path,
    version: VERSION_NEUTRAL,
    routes: [
      {
        method: 'GET',
        guards,
        includeInSchema: false,
        handler: async (_input, { request, response }) => {
          const filter = readFilter(request.query)
          // names of clients are for nobody else
          response.headers.set('cache-control', 'no-store')
          const entries = await read(filter).catch((cause: unknown) => {
            throw new HttpError(503, 'The counts cannot be read at the moment', { cause })
          })
          return toReport(entries)
        },
      },
    ],
  })
  return {
    // a client has no use for the route
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    controller: controller as unknown as UsageReport['controller'],
    read,
  }
}

function missing({ usage, guards }: Partial<UsageReportOptions>): readonly DefinitionProblem[] {
  const problems: DefinitionProblem[] = []
  if (usage === undefined || (isRecord(usage) && usage.store === undefined))
    problems.push(
      invalidOption(
        WHERE,
        `${usage === undefined ? 'usage' : 'usage.store'} is missing`,
        'write const usage = { store }, and pass it to createApp as well',
      ),
    )
  if (guards === undefined || (Array.isArray(guards) && guards.length === 0))
    problems.push(
      invalidOption(
        WHERE,
        'guards is missing: everyone could read the names of your clients',
        'give a guard that knows who may see usage',
      ),
    )
  return problems
}

const FILTERS = new Set(['since', 'version', 'route', 'client'])
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** @throws `ValidationError` for filters that would be ignored. */
function readFilter(query: Readonly<Record<string, unknown>>): UsageFilter {
  const issues: ValidationIssue[] = []
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    const addIssue = (code: string, message: string): unknown =>
      issues.push({ in: 'query', path: [name], code, message })
    if (!FILTERS.has(name)) addIssue('unrecognized_keys', `The filters are ${[...FILTERS].join(', ')}`)
    else if (!isString(value)) addIssue('invalid_type', 'Send the filter once')
    else if (name === 'since' && (!DATE.test(value) || Number.isNaN(Date.parse(value))))
      addIssue('invalid_format', 'Send a day, such as 2026-01-31')
    else found[name] = value
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return found
}

/** The entries with their sums. */
interface Report {
  readonly count: number
  readonly lastSeen: string | null
  readonly entries: readonly UsageEntry[]
}

function toReport(entries: readonly UsageEntry[]): Report {
  return {
    count: entries.reduce((sum, { count }) => sum + count, 0),
    lastSeen:
      entries
        .map(({ lastSeen }) => lastSeen)
        .toSorted()
        .at(-1) ?? null,
    entries,
  }
}
