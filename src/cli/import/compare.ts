import { findBreakingBothWays } from '../../gate/compare.ts'
import { toSource, type Source } from '../../gate/document/source.ts'
import { operationsIn, type Finding } from '../../gate/finding.ts'
import { reachOf, refsIn, type Components } from '../../base/json-schema.ts'
import type { ImportedApi, ImportedOperation } from './read-api.ts'
import type { ExpectedFinding } from './write-project.ts'

/** The differences between an imported document and the one that its app serves. */
export interface ImportReport {
  /** Reasons of differences that the import expected, with the places where they are. */
  readonly expected: ReadonlyMap<string, ReadonlySet<string>>
  /** Breaking differences that it did not expect. */
  readonly unexpected: readonly Finding[]
}

/** Compares an imported document with the one that its app serves, in both directions. @throws {ReadError} */
export function compareImported(
  source: Source,
  served: unknown,
  api: ImportedApi,
  notes: readonly ExpectedFinding[],
): ImportReport {
  const other = toSource(served)
  const breaking = findBreakingBothWays(source, other)
  const placesOf = createPlaces(api)
  const expected = new Map<string, Set<string>>()
  const unexpected: Finding[] = []
  for (const finding of breaking) {
    const places = placesOf(finding)
    const note = notes.find(
      ({ place, rule }) => (place === '' || places.has(place)) && rule.test(finding.rule),
    )
    if (note === undefined) unexpected.push(finding)
    else
      expected.set(note.why, (expected.get(note.why) ?? new Set()).add(finding.schema ?? finding.operation))
  }
  return { expected, unexpected }
}

/** Returns where a finding may come from: its operations or its schema, and the schemas that those refer to. */
function createPlaces({ operations, schemas }: ImportedApi): (finding: Finding) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>()
  const byName = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))
  const reach = (start: string): ReadonlySet<string> => {
    const before = known.get(start)
    if (before !== undefined) return before
    const operation = byName.get(start)
    const found = reachOf([start, ...(operation === undefined ? [] : schemasOf(operation))], schemas)
    known.set(start, found)
    return found
  }
  return (finding) => {
    const starts = finding.schema === undefined ? operationsIn(finding) : [finding.schema]
    return new Set(starts.flatMap((start) => [...reach(start)]))
  }
}

function schemasOf({ parameters, body, responses }: ImportedOperation): readonly string[] {
  const media = [body?.content ?? [], ...responses.map(({ content }) => content)].flat()
  const schemas = [...parameters, ...media].flatMap(({ schema }): readonly Components[string][] =>
    schema === undefined ? [] : [schema],
  )
  return schemas.flatMap((schema) => [...refsIn(schema)])
}
