import { isRecord } from '../../base/values.ts'
import { operationsById, pickAt, pointerSteps } from '../json.ts'
import type { VersionFinding } from '../finding.ts'
import type { Drafts, FieldDraft, KnownModel, ModelDraft, Unwritten } from './draft.ts'
import { toFieldDrafts, type DifferingField } from './field-drafts.ts'
import { mergeRoutes, toRouteDrafts } from './route-drafts.ts'
import { unwrittenReason, type PlacedFinding } from './unwritten-reasons.ts'
import { findOwned, sideOf, type Owned, type ComparedApp } from './owners.ts'

/**
 * The changes that findings ask for: one for each differing field, body or parameter.
 *
 * @param findings all of one version, of which those that `isFailing` are to be written
 */
export function toDrafts(
  findings: readonly VersionFinding[],
  isFailing: (finding: Pick<VersionFinding, 'level'>) => boolean,
  pair: ComparedApp,
): Drafts {
  const models = new Map<KnownModel, ModelFinding[]>()
  const routes = new Map<string, PlacedFinding[]>()
  const unwritten: Unwritten[] = []
  const everyPlace = findings.flatMap((finding): readonly PlacedFinding[] =>
    finding.places.length === 0
      ? [{ finding, place: undefined }]
      : finding.places.map((place) => ({ finding, place })),
  )
  for (const placed of everyPlace) {
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
    // a problem that went may be the earlier code of one that came
    else if (!isBad && finding.rule !== 'response-problem-removed') continue
    else if (route === undefined) unwritten.push({ ...placed, why: unwrittenReason(placed) })
    else routes.set(route, [...(routes.get(route) ?? []), placed])
  }
  const ofModels = [...models].map(([model, own]) => toModelDrafts(model, own, pair))
  const ofRoutes = [...routes].map(([route, own]) => toRouteDrafts(route, own, pair))
  return {
    drafts: [
      ...ofModels.flatMap(({ drafts }) => drafts),
      ...mergeRoutes(ofRoutes.flatMap(({ drafts }) => drafts)),
    ],
    unwritten: [...unwritten, ...[...ofModels, ...ofRoutes].flatMap((each) => each.unwritten)],
  }
}

const UNDECIDED =
  'the place is in a union or an intersection, so several objects match: write the change by hand'

/** A finding in an object that has fields of a model. */
interface ModelFinding extends PlacedFinding {
  readonly differing: DifferingField
}

function toModelDrafts(
  model: KnownModel,
  found: readonly ModelFinding[],
  pair: ComparedApp,
): { readonly drafts: readonly ModelDraft[]; readonly unwritten: readonly Unwritten[] } {
  const failing = found.filter(({ differing }) => differing.isFailing)
  if (failing.length === 0) return { drafts: [], unwritten: [] }
  const things = toFieldDrafts(
    model,
    found.map(({ differing }) => differing),
    pair.known.isNoted,
  )
  const written = new Set(
    things.flat().flatMap((field) => [field.name, ...(field.kind === 'renamed' ? [field.was] : [])]),
  )
  const made = things.map((own) => toModelDraft(own, model, found, pair))
  return {
    drafts: made.map(({ draft }) => draft),
    unwritten: [
      ...failing
        .filter(({ differing }) => !written.has(differing.field))
        .map(({ finding, place, differing }) => ({
          finding,
          place,
          why: `the newest ${model.name} has no field ${differing.field}: edit the change that describes it, or add it to the model`,
        })),
      ...made.flatMap(({ unwritten }) => unwritten),
    ],
  }
}

/** Creates the draft of fields that are one thing. Parts that a change has to name are exported, or nothing can be written for them. */
function toModelDraft(
  own: readonly FieldDraft[],
  model: KnownModel,
  found: readonly ModelFinding[],
  { base, known }: ComparedApp,
): { readonly draft: ModelDraft; readonly unwritten: readonly Unwritten[] } {
  const draft: ModelDraft = { kind: 'model', model: model.name, fields: own }
  const [only] = own
  if (only?.kind !== 'removed' || own.length > 1) return { draft, unwritten: [] }
  const here = found.filter(({ differing }) => differing.field === only.name)
  const had = new Set(here.flatMap(({ differing }) => differing.objects))
  const older = operationsById(Object(base))
  const names = new Set(
    known.routes.filter(({ operationId }) => older.has(operationId)).map(({ name }) => name),
  )
  const parts = {
    // a change comes to such a part only if it names it
    applies: [...had].filter(({ isRest, fields }) => !isRest && fields.length < model.fields.length),
    not: known.objects.filter(
      (object) => object.model === model.name && object.isRest && names.has(object.route) && !had.has(object),
    ),
  }
  const exported = Object.entries(parts).flatMap(([list, objects]) => {
    const each = [...new Set(objects.flatMap((object) => object.exported ?? []))]
    return each.length === 0 ? [] : [[list, each]]
  })
  const unwritten = Object.entries(parts).flatMap(([list, objects]) =>
    objects.some((object) => object.exported === undefined)
      ? here.slice(0, 1).map(({ finding, place }) => ({
          finding,
          place,
          why: `a part of ${model.name} ${list === 'not' ? 'never had' : 'had'} ${only.name}: export it beside the model, and list it in ${list} of the change that restores ${only.name}`,
        }))
      : [],
  )
  return { draft: { ...draft, ...Object.fromEntries(exported) }, unwritten }
}

const PLACES = new Map([
  ['path', 'params'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
])

/** A parameter that is a field of a model, as an object of its own. */
function ownedParameter(
  { finding, place }: PlacedFinding,
  { base, revision, known }: ComparedApp,
): Owned | undefined {
  const [section, source = '', field = ''] = place?.steps ?? []
  if (place === undefined || section !== 'parameters') return undefined
  const route = known.routes.find(({ operationId }) => operationId === place.route)?.name
  const object = known.objects.find(
    (each) => each.route === route && each.place === PLACES.get(source) && each.fields.includes(field),
  )
  if (object === undefined) return undefined
  const read = (document: unknown, pointer: string): Readonly<Record<string, unknown>> => {
    const steps = pointerSteps(pointer)
    const node = steps[3] === 'parameters' ? pickAt(document, steps.slice(0, 5)) : undefined
    if (!isRecord(node)) return {}
    return { properties: { [field]: node['schema'] }, required: node['required'] === true ? [field] : [] }
  }
  return {
    model: object.model,
    field,
    side: sideOf(place),
    base: read(base, finding.base.pointer),
    revision: read(revision, finding.revision.pointer),
    objects: [],
  }
}
