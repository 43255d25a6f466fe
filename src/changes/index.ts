/** The entry point `octavo/changes`: versions as changes. */
export {
  defineVersionChange,
  reshape,
  type VersionChange,
  type VersionChangeOptions,
  type FieldWas,
  type Load,
  type Reshape,
  type ReshapeOptions,
} from './change.ts'
export { before, type ModelBefore } from './before.ts'
export {
  fieldNames,
  derive,
  model,
  type FieldNames,
  type AnyModel,
  type Model,
  type Modelled,
  type ModelFields,
  type ModelMeta,
  type Part,
  type Pickable,
} from './model.ts'
export type { ErrorWas, ErrorsWere } from './operations/error-was.ts'
export {
  operation,
  type AnswerWas,
  type BodyWas,
  type Earlier,
  type InputSchemas,
  type InputSource,
  type InputWas,
  type PagedWas,
  type WebhookWas,
  type HeadersWere,
  type NamesWere,
  type NameWas,
  type Operation,
  type OperationOptions,
} from './operations/operation.ts'
export {
  reformatErrors,
  type Reformat,
  type ReformatExtra,
  type ReformatOptions,
} from './operations/reformat-errors.ts'
export { asIs, fits } from './convert/fits.ts'
export { absent, type Absent, type Was } from './was.ts'
export type { InAt, OutAt, StateOf } from './state.ts'
export type { FieldExtra, LoadedExtra, LoadExtra, ChangeExtra, ResponseExtra } from './convert/converter.ts'
export type { SpelledVersion } from './check-history.ts'
export { defineVersions, type History, type VersionNames, type VersionsOptions } from './versions.ts'
