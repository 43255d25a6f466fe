import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { shapeOf } from '../../changes/chain.ts'
import type { AnyChange, Chain } from '../../changes/chain.ts'
import { findHistoryInternals } from '../../changes/internals.ts'
import { objectsOf } from '../../changes/check/objects.ts'
import type { KnownModel, KnownObject, KnownRoute } from '../../gate/write/draft.ts'
import type { App } from '../../server/app/app.ts'
import { internalsOf } from '../../server/adapters/internals.ts'
import { defOf } from '../../schema/schema.ts'
import type { Schema } from '../../schema/schema.ts'
import { toRecord } from '../../base/values.ts'
import { unfinishedIn } from './unfinished.ts'
import type { Unfinished } from './unfinished.ts'

/** A model with the place of its definition. */
export interface DefinedModel extends KnownModel {
  /** File and line, or `undefined` if that is not known. */
  readonly at: string | undefined
  /** The name under which its file exports it, or `undefined` if it does not. */
  readonly exported: string | undefined
  /** Whether the history lists it. */
  readonly isListed: boolean
  /** The changes that describe fields of it, by the newest names of these fields. */
  readonly touched: readonly (readonly [field: string, change: string])[]
}

/** The definitions of an application, for the changes that `octavo check --write` writes. */
export interface Definitions {
  readonly kind: 'definitions'
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
  readonly objects: readonly KnownObject[]
  readonly routes: readonly KnownRoute[]
  readonly unfinished: readonly Unfinished[]
}

/** Reads what an application defines. */
export async function readDefinitions(app: App): Promise<Definitions> {
  const { versioning, routes } = internalsOf(app, 'octavo check --write')
  const history = versioning()?.history
  const internals = findHistoryInternals(history)
  const known = routes().map(({ name, operationId = name, pattern, prefix }) => ({
    name,
    operationId,
    path: pattern.text.slice(prefix.length) || '/',
  }))
  if (history === undefined || internals === undefined)
    return { kind: 'definitions', history: undefined, models: [], objects: [], routes: known, unfinished: [] }
  const { parts, placeOf, make } = internals
  const all = objectsOf(routes(), parts.messages).filter(({ schema }) => defOf(schema).type === 'object')
  const listed: ReadonlySet<unknown> = new Set(Object.values(toRecord(Reflect.get(history, 'models'))))
  const { chains, modelledFieldsOf } = make([toProbe([...listed, ...all.map(({ schema }) => schema)])]).plans
  const models = [...chains.values()].map(async (chain): Promise<DefinedModel> => {
    const at = placeOf(chain.model)
    return {
      name: chain.name,
      at,
      exported: await findExport(chain.model, at),
      isListed: listed.has(chain.model),
      fields: [...chain.fieldIds.keys()].map((name) => ({ name, isOptional: isOptional(chain.model, name) })),
      touched: touchedIn(parts.plans.chains.get(chain.model)),
    }
  })
  return {
    kind: 'definitions',
    history: {
      versions: parts.versions.filter((version) => version !== parts.next),
      at: placeOf(history),
      changes: parts.changes.map((change) => ({
        id: change.id,
        version: change.version,
        at: placeOf(change),
      })),
    },
    models: await Promise.all(models),
    objects: all.flatMap(({ route, position, schema }) =>
      [...chains.values()].flatMap(({ name, fieldIds }) => {
        const own = new Set(modelledFieldsOf(schema).fieldIds.values())
        const fields = [...fieldIds].filter(([, fieldId]) => own.has(fieldId)).map(([field]) => field)
        return fields.length === 0 ? [] : [{ route, place: position, model: name, fields }]
      }),
    ),
    routes: known,
    unfinished: parts.changes.flatMap((change) => unfinishedIn(change, placeOf(change))),
  }
}

/** A change that says nothing of schemas, through which those of them that are models are found. */
function toProbe(schemas: readonly unknown[]): AnyChange {
  const change = [...new Set(schemas)].map((of) => ({ kind: 'reshape', of, fields: {} }))
  return { version: 'next', title: '', description: '', id: '', sideEffects: false, change }
}

function isOptional(model: Schema, name: string): boolean {
  const field = shapeOf(model)[name]
  return field !== undefined && Reflect.get(field._zod, 'optout') === 'optional'
}

function touchedIn(chain: Chain | undefined): DefinedModel['touched'] {
  const names = new Map([...(chain?.fieldIds ?? [])].map(([name, fieldId]) => [fieldId, name]))
  return (chain?.steps ?? []).flatMap(({ change, fieldChanges }) =>
    fieldChanges.flatMap(({ fieldId }) => {
      const name = names.get(fieldId)
      return name === undefined ? [] : [[name, change.id] as const]
    }),
  )
}

/** The name under which the file of a definition exports it. The file is loaded already. */
async function findExport(value: object, at: string | undefined): Promise<string | undefined> {
  const [, file] = /^(.*):\d+$/.exec(at ?? '') ?? []
  if (file === undefined) return undefined
  try {
    const exported: object = await import(pathToFileURL(resolve(file)).href)
    return Object.entries(exported).find(([, each]) => each === value)?.[0]
  } catch {
    // its source may be no module that Node can load
    return undefined
  }
}
