import { editDistance } from './edit-distance.ts'
import { capitalize } from './values.ts'

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
  invalid_stream: 'events or items of a route cannot be used',
  missing_guard: 'a guard reads the identity of another one that does not run before it',
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
  preview_ended: 'a preview has ended',
  undocumented_schema: 'a document cannot show a schema',
} as const

/** A code of {@link DEFINITION_WARNINGS}. Codes never change meaning. */
export type DefinitionWarningCode = keyof typeof DEFINITION_WARNINGS

/** Something in a definition that deserves a look, though it works. */
export interface DefinitionWarning {
  /** The kind of warning. docs/errors.md explains each. */
  readonly code: DefinitionWarningCode
  /** The definition, with its file and line: `car.getOne: GET /car/{car_id} (src/car.controller.ts:12)`. */
  readonly where: string
  /** The file, relative to the working directory, and the line of the definition: `src/car.controller.ts:12`. Absent if unknown. */
  readonly at?: string
  /** The surprise, in words. */
  readonly message: string
  /** The edit that avoids it. */
  readonly fix: string
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
    super(
      `${errors.length === 1 ? 'A mistake' : `${errors.length} mistakes`} in the definitions\n${errors.map(toLine).join('\n')}`,
      options,
    )
    this.name = 'DefinitionError'
    this.errors = errors
  }
}

function toLine({ code, where, message, fix }: DefinitionProblem): string {
  return `  ${where}: ${message}. ${capitalize(fix)} [${code}]`
}
