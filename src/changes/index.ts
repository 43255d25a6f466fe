/** The entry point `octavo/changes`: versions as changes. */
export { before, defineVersionChange } from './change.ts'
export type { VersionChange, VersionChangeOptions } from './change.ts'
export { fieldNames } from './field-names.ts'
export type { FieldNames } from './field-names.ts'
export { derive, model } from './model.ts'
export type { AnyModel, Model, Modelled, ModelFields, ModelMeta, Part } from './model.ts'
export { operation } from './operations/operation.ts'
export type {
  AnswerWas,
  BodyWas,
  Earlier,
  ErrorWas,
  HeadersWere,
  NamesWere,
  NameWas,
  Operation,
  OperationOptions,
} from './operations/operation.ts'
export { reshape } from './reshape.ts'
export { absent } from './was.ts'
export type { FieldWas, Load, LoadExtra, Reshape, ReshapeOptions } from './reshape.ts'
export type { Absent, Was } from './was.ts'
export type { InAt, OutAt, StateOf } from './state.ts'
export type { FieldExtra, LoadedExtra, ChangeExtra } from './convert/converter.ts'
export { defineVersions } from './versions.ts'
export type { History, VersionsOptions } from './versions.ts'
