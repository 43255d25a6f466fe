import type { Convert, DocumentedVersion, DocumentSettings, NamedSchema } from './model.ts'
import type { OpenApiDocument } from './types.ts'

/** What a generator makes documents of. */
export interface GeneratorSource {
  /** Oldest first; the last may have the version `null`. */
  readonly versions: readonly DocumentedVersion[]
  readonly named: readonly NamedSchema[]
  readonly settings: DocumentSettings
}

/** Makes documents, each once. */
export interface Generator {
  /** The document of a version; of all versions without one. @throws `DefinitionError` for what cannot be documented. */
  readonly document: (version: string | undefined) => OpenApiDocument
}

/** Prepares the documents of an application; without `convert` nothing has a schema. */
export function createGenerator(_source: GeneratorSource, _convert: Convert | undefined): Generator {
  return {
    document: () => {
      throw new Error('not there yet')
    },
  }
}
