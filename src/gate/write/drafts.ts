import { isRecord } from '../../base/values.ts'
import type { VersionFinding } from '../finding.ts'
import type { Drafts, KnownModel, Unwritten } from './draft.ts'
import { toFields } from './fields.ts'
import type { Differing } from './fields.ts'
import { reasonOf, toRouteDraft } from './operations.ts'
import type { Pair } from './operations.ts'
import { findOwned, sideOf } from './owners.ts'
import { pick, toSteps } from './walk.ts'

/**
 * The changes that findings ask for: one for each model and each route that differs.
 *
 * @param findings all of one version, of which those that `isFailing` are to be written
 */
export function toDrafts(
  findings: readonly VersionFinding[],
  isFailing: (finding: VersionFinding) => boolean,
  pair: Pair,
): Drafts {
  const models = new Map<KnownModel, ModelFinding[]>()
  const routes = new Map<string, VersionFinding[]>()
  const unwritten: Unwritten[] = []
  for (const finding of findings) {
    const found = findOwned(finding, pair.base, pair.revision, pair.known)
    if (found === 'undecided') {
      if (isFailing(finding)) unwritten.push({ finding, why: UNDECIDED })
      continue
    }
    const owned = found === 'none' ? ownedParameter(finding, pair) : found
    const model = pair.known.models.find(({ name }) => name === owned?.model)
    const route = pair.known.routes.find(({ operationId }) => operationId === finding.route)?.name
    if (owned !== undefined && model !== undefined)
      models.set(model, [
        ...(models.get(model) ?? []),
        { finding, differing: { ...owned, isFailing: isFailing(finding) } },
      ])
    else if (!isFailing(finding)) continue
    else if (route === undefined) unwritten.push({ finding, why: reasonOf(finding) })
    else routes.set(route, [...(routes.get(route) ?? []), finding])
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

const UNDECIDED =
  'the place is in a union or an intersection, so several objects match: write the change by hand'

/** A finding in an object that has fields of a model. */
interface ModelFinding {
  readonly finding: VersionFinding
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
      .map(({ finding, differing }) => ({
        finding,
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
function ownedParameter(
  finding: VersionFinding,
  { base, revision, known }: Pair,
): Omit<Differing, 'isFailing'> | undefined {
  const [section, place = '', field = ''] = finding.at.split('/')
  if (section !== 'parameters') return undefined
  const route = known.routes.find(({ operationId }) => operationId === finding.route)?.name
  const object = known.objects.find(
    (each) => each.route === route && each.place === PLACES.get(place) && each.fields.includes(field),
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
    side: sideOf(finding),
    at: `${finding.revision.pointer} ${field}`,
    base: read(base, finding.base.pointer),
    revision: read(revision, finding.revision.pointer),
  }
}
