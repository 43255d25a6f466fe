/** How bad a difference is for clients that keep to the older document. */
export type Level = 'none' | 'info' | 'warning' | 'breaking'

/** Levels, the harmless one first. */
export const LEVELS: readonly Level[] = ['none', 'info', 'warning', 'breaking']

/** The worst of several levels. */
export function worst(levels: Iterable<Level>): Level {
  let at = 0
  for (const level of levels) at = Math.max(at, LEVELS.indexOf(level))
  return LEVELS[at] ?? 'none'
}

/** Whether a level is at least as bad as another. */
export function isAtLeast(level: Level, floor: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(floor)
}

/** A place in a document. */
export interface DocumentPlace {
  /** A JSON pointer (RFC 6901), empty for what is not there. */
  readonly pointer: string
}

/** A difference between two documents. */
export interface Finding {
  /** The name of the rule, such as `request-property-became-required`. */
  readonly rule: string
  /** How bad it is. */
  readonly level: Level
  /** Method and path, such as `POST /users`; empty for what concerns the whole API. */
  readonly operation: string
  /** The name of the route: the `operationId`. */
  readonly route?: string
  /** Where in the operation, such as `requestBody/application/json/name`. */
  readonly at: string
  /** The difference, in words. */
  readonly message: string
  /** The place in the older document. */
  readonly base: DocumentPlace
  /** The place in the newer document. */
  readonly revision: DocumentPlace
}

/** The differences of two documents. */
export interface Comparison {
  /** The worst level of all findings. */
  readonly level: Level
  /** Sorted by path, method and place. */
  readonly findings: readonly Finding[]
}

/** A finding, with the version that it is about. */
export interface VersionFinding extends Finding {
  /** The version, empty for what concerns all. */
  readonly version: string
  /** The file and line of the change that it is about. */
  readonly source?: string
}
