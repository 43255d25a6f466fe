import type { TracedPlace, VersionFinding } from '../finding.ts'

/** A field or parameter, as a document shows it. */
export interface DescribedField {
  /** Its schema, with a default if it has one. */
  readonly schema: unknown
  /** Whether it may be left out, and nothing stands for it then. */
  readonly isOptional: boolean
}

/** One earlier field or parameter. */
export type FieldDraft =
  /** A guess: one went, another one of the same schema came. */
  | { readonly kind: 'renamed'; readonly name: string; readonly was: string }
  | { readonly kind: 'added'; readonly name: string; readonly now: DescribedField }
  | { readonly kind: 'removed'; readonly name: string; readonly was: DescribedField }
  | {
      readonly kind: 'retyped'
      readonly name: string
      readonly was: DescribedField
      readonly now: DescribedField
      /** Where it differs in a way that breaks clients. */
      readonly sides: readonly Side[]
    }

export type Side = 'request' | 'response'

/** One difference of an earlier model. Several fields are those that replaced others. */
export interface ModelDraft {
  readonly kind: 'model'
  readonly model: string
  readonly fields: readonly FieldDraft[]
  /** The names of parts that had a removed field, and get it by their names alone. */
  readonly applies?: readonly string[]
  /** The names of parts that never had a removed field, and would get it. */
  readonly not?: readonly string[]
}

/** The sources of a request whose members an operation describes. */
export type DraftedSource = 'query' | 'headers' | 'cookies'

/** A route, with its address today for the title. */
export interface DraftedRoute {
  readonly route: string
  readonly now: { readonly method: string; readonly path: string }
  /** Its earlier path, if that lacked parameters: with those that it had. */
  readonly before?: { readonly path: string; readonly parameters: Readonly<Record<string, unknown>> }
}

/** The body of requests, or that of the responses with a status. */
export type DraftedBody = 'body' | number

/** A whole body, then and now. */
export interface BodyDraft {
  readonly key: DraftedBody
  /** Its earlier schema, or `undefined` if there was none. */
  readonly was: DescribedField | undefined
  readonly now: DescribedField
  /** The text of the schema of today, or `undefined` for one that is written again. */
  readonly text: string | undefined
  /** The exported schemas that it names. */
  readonly names: readonly string[]
  /** The parameters that the query has gained, by which pages are found. */
  readonly query: readonly string[]
}

/** An earlier problem, by the code that it has today. */
export interface ProblemDraft {
  readonly code: string
  /** The code that it had, if that was another one. */
  readonly was?: string
  /** The status that it had, if that was another one. */
  readonly status?: number
}

/** One difference of earlier routes: an address, a status, a parameter, a header, problems or a whole body. */
export interface RouteDraft {
  readonly kind: 'route'
  readonly routes: readonly DraftedRoute[]
  readonly path?: string
  readonly method?: string
  /** The parameters that paths gained. */
  readonly gained?: readonly string[]
  /** The status of a plain result, then and now. */
  readonly status?: { readonly was: number; readonly now: number }
  /** A further status of success, and the only one that there was. */
  readonly success?: { readonly was: number; readonly now: number }
  readonly parameters: readonly { readonly source: DraftedSource; readonly field: FieldDraft }[]
  /** Headers of responses. */
  readonly headers: readonly FieldDraft[]
  readonly problems?: readonly ProblemDraft[]
  readonly body?: BodyDraft
}

/** A change that is to be written. */
export type ChangeDraft = ModelDraft | RouteDraft

/** A difference that no change can describe. */
export interface Unwritten {
  readonly finding: VersionFinding
  readonly place: TracedPlace | undefined
  /** Why, and what to do instead. */
  readonly why: string
}

/** The drafts to be written, and the findings that none can be written for. */
export interface Drafts {
  readonly drafts: readonly ChangeDraft[]
  readonly unwritten: readonly Unwritten[]
}

/** A model, as the application defines it. */
export interface KnownModel {
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly isOptional: boolean }[]
}

/** An object of a route that has fields of a model. */
export interface KnownObject {
  readonly route: string
  /** Such as `body` or `response 200.items[]`. */
  readonly place: string
  readonly model: string
  readonly fields: readonly string[]
  /** Whether it is a part that gets the removed fields of the model, such as one that `omit` made. */
  readonly isRest: boolean
  /** The name under which its file exports its schema, if that is known. */
  readonly exported?: string | undefined
}

/** A route, as the application defines it. */
export interface KnownRoute {
  readonly name: string
  /** The name that documents have for it. */
  readonly operationId: string
  /** Its path without what all routes begin with. */
  readonly path: string
  readonly bodies: readonly KnownBody[]
}

/** A body of a route. */
export interface KnownBody extends Pick<BodyDraft, 'key' | 'names'> {
  /** The text of its schema if that is exported, or a list of an exported one. */
  readonly text: string | undefined
  /** Whether it can be written again from its document. */
  readonly isPlain: boolean
  /** The change that describes the whole body already. */
  readonly change: string | undefined
}

/** The definitions of the application. */
export interface KnownApp {
  readonly models: readonly KnownModel[]
  readonly objects: readonly KnownObject[]
  readonly routes: readonly KnownRoute[]
  /** Whether formats and defaults are only documented, so that no default stands for what is left out. */
  readonly isNoted?: boolean
}
