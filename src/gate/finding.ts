/** How bad a difference is for clients that keep to the older document. */
export type Severity = 'none' | 'info' | 'warning' | 'breaking'

/** Levels, the harmless one first. */
export const SEVERITIES: readonly Severity[] = ['none', 'info', 'warning', 'breaking']

/** The worst of several levels. */
export function worst(levels: Iterable<Severity>): Severity {
  let at = 0
  for (const level of levels) at = Math.max(at, SEVERITIES.indexOf(level))
  return SEVERITIES[at] ?? 'none'
}

/** Whether a level is at least as bad as another. */
export function isAtLeast(level: Severity, floor: Severity): boolean {
  return SEVERITIES.indexOf(level) >= SEVERITIES.indexOf(floor)
}

/** A place in a document. */
export interface DocumentPlace {
  /** A JSON pointer (RFC 6901), empty for what is not there. */
  readonly pointer: string
}

/** A place where clients meet a difference. */
export interface FindingPlace {
  /** Method and path, such as `POST /users`. */
  readonly operation: string
  /** The name of the route: the `operationId`. */
  readonly route?: string
  /** Where in the operation, such as `requestBody/application/json/name`. */
  readonly at: string
  /** How bad it is here, if that is less than in other places. */
  readonly level?: Severity
}

/** A difference between two documents. It is listed once, however many operations it reaches. */
export interface Finding {
  /** The name of the rule, such as `request-property-became-required`. */
  readonly rule: string
  /** How bad it is: the worst level of its places. */
  readonly level: Severity
  /** The named schema that differs. A finding of an operation has none. */
  readonly schema?: string
  /** Method and path of the first place, such as `POST /users`; empty for a named schema and for the whole API. */
  readonly operation: string
  /** The name of the route: the `operationId`. */
  readonly route?: string
  /** Where in the schema, such as `role`, or else in the operation, such as `requestBody/application/json/name`. */
  readonly at: string
  /** The difference, in words. */
  readonly message: string
  /** The place in the older document. */
  readonly base: DocumentPlace
  /** The place in the newer document. */
  readonly revision: DocumentPlace
  /** Every place that it reaches, one for each place of an operation; none for the whole API. */
  readonly places: readonly FindingPlace[]
}

/** The differences of two documents. */
export interface Comparison {
  /** The worst level of all findings. */
  readonly level: Severity
  /** Sorted by schema or path, method and place. */
  readonly findings: readonly Finding[]
}

/** An object on the way to a difference, as its schemas stand in both documents. Several are the parts of an `allOf`. */
export interface Passed {
  /** The name of the member through which the way leads. */
  readonly field: string
  readonly base: readonly object[]
  readonly revision: readonly object[]
  /** The name of the place of the object, as `octavo versions --explain` has it, such as `body.items[]`. */
  readonly place: string
  /** Whether no other object of a union or an `allOf` has the same place. */
  readonly isAlone: boolean
}

/** A place with the steps that lead to it. */
export interface TracedPlace extends FindingPlace {
  readonly level: Severity
  readonly steps: readonly string[]
  /** The objects on the way, the outermost first. */
  readonly passed: readonly Passed[]
}

/** A finding whose steps are known. */
export interface TracedFinding extends Finding {
  readonly places: readonly TracedPlace[]
}

/** A finding, with the version that it is about. */
export interface VersionFinding extends TracedFinding {
  /** The version, empty for what concerns all. */
  readonly version: string
  /** The file and line of the change that it is about. */
  readonly source?: string
}

/** A finding with some of its places. */
export function withFindingPlaces(finding: VersionFinding, places: readonly TracedPlace[]): VersionFinding {
  const level = worst(places.map((place) => place.level))
  const [first] = places
  if (finding.schema !== undefined || first === undefined) return { ...finding, level, places }
  const { route: _route, ...rest } = finding
  const { operation, route, at } = first
  return { ...rest, level, operation, at, places, ...(route === undefined ? {} : { route }) }
}

interface Fingerprinted extends Pick<Finding, 'rule' | 'schema' | 'operation' | 'at'> {
  readonly version?: string
}

/** The words that a finding is known by, whatever moves around it: its version, rule, schema or operation, and place. */
export function fingerprintOf({ rule, schema, operation, at, version = '' }: Fingerprinted): string {
  return [version, rule, schema ?? operation, at].filter(Boolean).join(' ')
}

/** The operations that a finding reaches, each once. */
export function operationsIn({ places, operation }: Finding): readonly string[] {
  return places.length === 0 ? [operation] : [...new Set(places.map((place) => place.operation))]
}

/** Where a finding is: in a named schema, or in its operation. */
export function whereOf({ schema, at }: Finding): string {
  return [schema ?? '', at].filter(Boolean).join('/')
}

/** A finding as it is shown: its places without the steps that lead to them, and without a level that is that of all. */
export function withoutTraces<F extends Finding>(finding: F): Omit<F, 'places'> & Pick<Finding, 'places'> {
  return {
    ...finding,
    places: finding.places.map(({ operation, route, at, level }) => ({
      operation,
      ...(route === undefined ? {} : { route }),
      at,
      ...(level === undefined || level === finding.level ? {} : { level }),
    })),
  }
}
