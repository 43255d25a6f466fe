import { isRecord } from '../../base/values.ts'
import { pick, toSteps } from '../document/pick.ts'
import type { VersionFinding } from '../finding.ts'
import type { Drafts, KnownModel, Unwritten } from './draft.ts'
import { toFields } from './fields.ts'
import type { Differing } from './fields.ts'
import { reasonOf, toRouteDraft } from './operations.ts'
import type { Placed } from './operations.ts'
import { findOwned, sideOf } from './owners.ts'
import type { Owned, Pair } from './owners.ts'

/**
 * The changes that findings ask for: one for each model and each route that differs.
 *
 * @param findings all of one version, of which those that `isFailing` are to be written
 */
export function toDrafts(
  findings: readonly VersionFinding[],
  isFailing: (finding: Pick<VersionFinding, 'level'>) => boolean,
  pair: Pair,
): Drafts {
  const models = new Map<KnownModel, ModelFinding[]>()
  const routes = new Map<string, Placed[]>()
  const unwritten: Unwritten[] = []
  for (const placed of findings.flatMap(placesOf)) {
    const { finding, place } = placed
    const isBad = isFailing(place ?? finding)
    const found = place === undefined ? 'none' : findOwned(place, pair)
    if (found === 'undecided') {
      if (isBad) unwritten.push({ ...placed, why: UNDECIDED })
      continue
    }
    const owned = found === 'none' ? ownedParameter(placed, pair) : found
    const model = pair.known.models.find(({ name }) => name === owned?.model)
    const route = pair.known.routes.find(({ operationId }) => operationId === place?.route)?.name
    if (owned !== undefined && model !== undefined)
      models.set(model, [
        ...(models.get(model) ?? []),
        { ...placed, differing: { ...owned, isFailing: isBad } },
      ])
    else if (!isBad) continue
    else if (route === undefined) unwritten.push({ ...placed, why: reasonOf(placed) })
    else routes.set(route, [...(routes.get(route) ?? []), placed])
  }
  const all = [
    ...[...models].map(([model, own]) => toModelDrafts(model, own)),
    ...[...routes].map(([route, own]) => {
      const { draft, unwritten: others } = toRouteDraft(route, own, pair)
      return { drafts: draft === undefined ? [] : [draft], unwritten: others }
    }),
  ]
  return {
    drafts: all.flatMap(({ drafts }) => drafts),
    unwritten: [...unwritten, ...all.flatMap((each) => each.unwritten)],
  }
}

/** A finding once for each of its places. */
function placesOf(finding: VersionFinding): readonly Placed[] {
  return finding.places.length === 0
    ? [{ finding, place: undefined }]
    : finding.places.map((place) => ({ finding, place }))
}

const UNDECIDED =
  'the place is in a union or an intersection, so several objects match: write the change by hand'

/** A finding in an object that has fields of a model. */
interface ModelFinding extends Placed {
  readonly differing: Differing
}

function toModelDrafts(model: KnownModel, found: readonly ModelFinding[]): Drafts {
  const failing = found.filter(({ differing }) => differing.isFailing)
  if (failing.length === 0) return { drafts: [], unwritten: [] }
  const fields = toFields(
    model,
    found.map(({ differing }) => differing),
  )
  const written = new Set(
    fields.flatMap((field) => [field.name, ...(field.kind === 'renamed' ? [field.was] : [])]),
  )
  return {
    drafts: fields.length === 0 ? [] : [{ kind: 'model', model: model.name, fields }],
    unwritten: failing
      .filter(({ differing }) => !written.has(differing.field))
      .map(({ finding, place, differing }) => ({
        finding,
        place,
        why: `the newest ${model.name} has no field ${differing.field}: edit the change that describes it, or add it to the model`,
      })),
  }
}

const PLACES = new Map([
  ['path', 'params'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
])

/** A parameter that is a field of a model, as an object of its own. */
function ownedParameter({ finding, place }: Placed, { base, revision, known }: Pair): Owned | undefined {
  const [section, source = '', field = ''] = place?.steps ?? []
  if (place === undefined || section !== 'parameters') return undefined
  const route = known.routes.find(({ operationId }) => operationId === place.route)?.name
  const object = known.objects.find(
    (each) => each.route === route && each.place === PLACES.get(source) && each.fields.includes(field),
  )
  if (object === undefined) return undefined
  const read = (document: unknown, pointer: string): Readonly<Record<string, unknown>> => {
    const steps = toSteps(pointer)
    const node = steps[3] === 'parameters' ? pick(document, steps.slice(0, 5)) : undefined
    if (!isRecord(node)) return {}
    return { properties: { [field]: node['schema'] }, required: node['required'] === true ? [field] : [] }
  }
  return {
    model: object.model,
    field,
    side: sideOf(place),
    base: read(base, finding.base.pointer),
    revision: read(revision, finding.revision.pointer),
  }
}
