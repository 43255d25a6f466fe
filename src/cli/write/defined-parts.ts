import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { type AnyChange, type Chain } from '../../changes/chain.ts'
import { childrenOf, defOf, isSchema, metaOf, objectShape, type Schema } from '../../schema/schema.ts'
import type { Plans } from '../../changes/convert/plans.ts'
import { findHistoryInternals } from '../../changes/internals.ts'
import { isRest, modelBehind } from '../../changes/model.ts'
import { objectsOf } from '../../changes/check/explain.ts'
import type { KnownModel, KnownObject, KnownRoute } from '../../gate/write/draft.ts'
import type { App } from '../../server/app/app.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import { toRecord } from '../../base/values.ts'
import { importedBy, toBodies } from './read-bodies.ts'
import { unfinishedIn, type Unfinished } from './unfinished.ts'

/** A model or a part of one, with the place of its definition. */
export interface DefinedSchema {
  readonly name: string
  /** File and line, or `undefined` if that is not known. */
  readonly at: string | undefined
  /** The name under which its file exports it, or `undefined` if it does not. */
  readonly exported: string | undefined
  /** Whether the history need not list it. */
  readonly isListed: boolean
}

/** A model with the place of its definition. */
interface DefinedModel extends DefinedSchema, KnownModel {
  /** The changes that describe fields of it, by the newest names of these fields, or by the last ones that they had. */
  readonly touched: readonly (readonly [field: string, change: string])[]
}

/** The definitions of an application, for the changes that `octavo check --write` writes. */
export interface DefinedParts {
  /** `undefined` without a history. */
  readonly history:
    | {
        /** Newest first. */
        readonly versions: readonly string[]
        readonly at: string | undefined
        readonly changes: readonly {
          readonly id: string
          readonly version: string
          readonly at: string | undefined
        }[]
      }
    | undefined
  readonly models: readonly DefinedModel[]
  /** Schemas that have fields of a model, and are exported beside it or beside the history. */
  readonly parts: readonly DefinedSchema[]
  readonly objects: readonly KnownObject[]
  readonly routes: readonly KnownRoute[]
  readonly unfinished: readonly Unfinished[]
  /** Whether formats and defaults are only documented, as those of imports are. */
  readonly isNoted: boolean
  /** Whether routes forward to an API behind, so that values that it no longer sends are unknown here. */
  readonly isForwarding: boolean
}

const NOTHING: DefinedParts = {
  history: undefined,
  models: [],
  parts: [],
  objects: [],
  routes: [],
  unfinished: [],
  isNoted: false,
  isForwarding: false,
}

/** Whether a schema is a part of a model that gets its removed fields. */
function getsRemoved(schema: Schema, model: Schema): boolean {
  return schema !== model && modelBehind(schema) === model && isRest(schema)
}

/** Reads what an application defines. */
export async function readDefinitions(app: App): Promise<DefinedParts> {
  const { versioning, routes } = internalsOf(app, 'octavo check --write')
  const history = versioning()?.history
  const internals = findHistoryInternals(history)
  if (history === undefined || internals === undefined) return NOTHING
  const { parts, placeOf, make } = internals
  const all = objectsOf(routes(), parts.messages).filter(({ schema }) => defOf(schema).type === 'object')
  const listed: ReadonlySet<unknown> = new Set(Object.values(toRecord(Reflect.get(history, 'models'))))
  const { chains, modelledFieldsOf } = make([toProbe([...listed, ...all.map(({ schema }) => schema)])]).plans
  const models = new Map<unknown, DefinedModel>()
  const exportsOf = createReadExports()
  for (const { model, name, fieldIds } of chains.values()) {
    const at = placeOf(model)
    models.set(model, {
      name,
      at,
      exported: (await exportsOf(at)).get(model),
      isListed: listed.has(model),
      fields: [...fieldIds.keys()].map((field) => toKnownField(model, field)),
      touched: touchedFields(parts.plans.chains.get(model)),
    })
  }
  const places = [...[...models.values()].map(({ at }) => at), placeOf(history)]
  const ofRoutes = routes().flatMap(({ definitions }) => definitions.flatMap((each) => placeOf(each) ?? []))
  const files = [...places, ...(await importedBy(new Set(ofRoutes)))]
  const exported = await partsIn(files, models, exportsOf)
  return {
    history: {
      versions: parts.versions.filter((version) => version !== parts.next),
      at: placeOf(history),
      changes: parts.changes.map((change) => ({
        id: change.id,
        version: change.version,
        at: placeOf(change),
      })),
    },
    models: [...models.values()],
    parts: [...new Set(all.map(({ schema }) => exported.get(schema)))].filter((part) => part !== undefined),
    objects: toKnownObjects(all, chains.values(), modelledFieldsOf, exported),
    routes: routes().map((route) => {
      const { name, operationId = name, pattern, prefix } = route
      const path = pattern.text.slice(prefix.length) || '/'
      const bodies = toBodies(route, new Map([...exported, ...models]), parts.changes)
      return { name, operationId, path, bodies }
    }),
    unfinished: parts.changes.flatMap((change) => unfinishedIn(change, placeOf(change))),
    isNoted: areNoted([...models.keys(), ...all.map(({ schema }) => schema)].filter(isSchema)),
    isForwarding: routes().some(({ definitions }) => definitions.some((each) => 'forward' in each)),
  }
}

/** The objects that have fields of models. Each schema is looked into once, however many routes have it. */
function toKnownObjects(
  found: ReturnType<typeof objectsOf>,
  chains: Iterable<Chain>,
  modelledFieldsOf: Plans['modelledFieldsOf'],
  exported: ReadonlyMap<unknown, DefinedSchema>,
): readonly KnownObject[] {
  const owners = new Map(
    [...chains].flatMap((chain) => [...chain.fieldIds].map(([field, id]) => [id, { chain, field }] as const)),
  )
  const known = new Map<Schema, readonly Omit<KnownObject, 'route' | 'place'>[]>()
  const read = (schema: Schema): readonly Omit<KnownObject, 'route' | 'place'>[] => {
    const fields = new Map<Chain, string[]>()
    for (const id of new Set(modelledFieldsOf(schema).fieldIds.values())) {
      const owner = owners.get(id)
      if (owner !== undefined) fields.set(owner.chain, [...(fields.get(owner.chain) ?? []), owner.field])
    }
    return [...fields].map(([{ name, model }, own]) => ({
      model: name,
      fields: own,
      isRest: getsRemoved(schema, model),
      exported: exported.get(schema)?.name,
    }))
  }
  return found.flatMap(({ route, position, schema }) => {
    const parts = known.get(schema) ?? read(schema)
    known.set(schema, parts)
    return parts.map((part) => ({ ...part, route, place: position }))
  })
}

/** Whether `meta` documents the format or default of some schema. */
function areNoted(schemas: readonly Schema[]): boolean {
  const found = new Set(schemas)
  // a set gives what is added while it is walked, too
  for (const schema of found) {
    const { format, default: fallback } = metaOf(schema)
    if ((format ?? fallback) !== undefined) return true
    for (const child of childrenOf(schema)) found.add(child.schema)
  }
  return false
}

/** A change that says nothing of schemas, through which those of them that are models are found. */
function toProbe(schemas: readonly unknown[]): AnyChange {
  const change = [...new Set(schemas)].map((of) => ({ kind: 'reshape', of, fields: {} }))
  return { version: 'next', title: '', description: '', id: '', sideEffects: false, change }
}

function toKnownField(model: Schema, name: string): KnownModel['fields'][number] {
  const field = objectShape(model)[name]
  return { name, isOptional: field !== undefined && Reflect.get(field._zod, 'optout') === 'optional' }
}

function touchedFields(chain: Chain | undefined): DefinedModel['touched'] {
  const names = new Map([...(chain?.fieldIds ?? [])].map(([name, fieldId]) => [fieldId, name]))
  return (chain?.steps ?? []).flatMap(({ change, fieldChanges }) =>
    fieldChanges.flatMap((each) => {
      const name = names.get(each.fieldId) ?? (each.kind === 'renamed' ? each.was : each.name)
      return [[name, change.id] as const]
    }),
  )
}

/** The values that files export beside models. */
async function partsIn(
  places: readonly (string | undefined)[],
  models: ReadonlyMap<unknown, unknown>,
  exportsOf: ReadExports,
): Promise<ReadonlyMap<unknown, DefinedSchema>> {
  const found = new Map<unknown, DefinedSchema>()
  for (const at of new Set(places))
    for (const [value, name] of await exportsOf(at))
      if (!models.has(value)) found.set(value, { name, at, exported: name, isListed: true })
  return found
}

/** The names under which the file of a definition exports values. */
type ReadExports = (at: string | undefined) => Promise<ReadonlyMap<unknown, string>>

/** Creates the function that reads the exports of files, which are loaded already, each once. */
function createReadExports(): ReadExports {
  const known = new Map<string, Promise<ReadonlyMap<unknown, string>>>()
  return (at) => {
    const [, file = ''] = /^(.*):\d+$/.exec(at ?? '') ?? []
    const found = known.get(file) ?? exportsIn(file)
    known.set(file, found)
    return found
  }
}

async function exportsIn(file: string): Promise<ReadonlyMap<unknown, string>> {
  if (file === '') return new Map()
  try {
    const exported: object = await import(pathToFileURL(resolve(file)).href)
    return new Map(Object.entries(exported).map(([name, value]) => [value, name]))
  } catch {
    // its source may be no module that Node can load
    return new Map()
  }
}
