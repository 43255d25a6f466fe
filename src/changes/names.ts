import { headerName } from '../http.ts'
import type { SourceName } from '../schema/sources.ts'
import type { Fields, Schema } from '../schema/schema.ts'
import { isSchema } from '../schema/schema.ts'
import { toRecord } from '../values.ts'
import { shapeOf } from './chain.ts'
import { cloneNameless } from './convert/clone.ts'
import type { NamesWere, Operation } from './operation.ts'
import { absent } from './was.ts'
import type { FieldWas } from './reshape.ts'
import type { Plan } from './convert/plan.ts'
import type { Turn, TurnExtra } from './convert/turn.ts'

/** The functions that turn the values of a source. */
export interface Turned {
  /** That of models. */
  readonly plan: Plan | undefined
  /** Those of operations, which run before. */
  readonly names: Turn | undefined
}

/** The names of a source that operations say something of. */
function namesOf(source: SourceName, operation: Operation): NamesWere | undefined {
  return source === 'query' || source === 'headers' || source === 'cookies' ? operation[source] : undefined
}

/** A source as it was before operations changed parameters of it; `undefined` if none did. */
export function turnNames(
  source: SourceName,
  schema: Schema,
  operations: readonly Operation[],
): { readonly schema: Schema; readonly up: Turn } | undefined {
  const named = operations.map((operation) => namesOf(source, operation)).filter((each) => each !== undefined)
  if (named.length === 0) return undefined
  let shape: Fields = shapeOf(schema)
  const ups: Change['up'][] = []
  for (const [name, field] of named.flatMap((names) => Object.entries(names))) {
    const change = toChange(shape, keyIn(shape, source, name) ?? name, field)
    shape = change.shape
    ups.unshift(change.up)
  }
  return {
    schema: cloneNameless(schema, { shape }),
    up: (value, extra) => {
      const made = { ...toRecord(value) }
      for (const turn of ups) turn(made, extra)
      return made
    },
  }
}

interface Change {
  readonly shape: Fields
  readonly up: (value: Record<string, unknown>, extra: TurnExtra) => void
}

/** What a parameter was: under another name, absent, of another schema, or there only then. */
function toChange(shape: Fields, key: string, { was, up }: FieldWas): Change {
  const { [key]: now, ...others } = shape
  if (typeof was === 'string')
    return {
      shape: Object.fromEntries(
        Object.entries(shape).map(([name, field]) => [name === key ? was : name, field]),
      ),
      up: (value) => {
        if (value[was] !== undefined) value[key] = value[was]
        delete value[was]
      },
    }
  const turn: Change['up'] = (value, extra) => {
    if (up !== undefined) value[key] = up(value[key], extra)
  }
  if (was === absent || !isSchema(was)) return { shape: others, up: turn }
  // one that existed only then is nothing that handlers know
  const drop: Change['up'] = (value) => void delete value[key]
  return { shape: { ...shape, [key]: was }, up: now === undefined && up === undefined ? drop : turn }
}

/** Names of headers are compared as headers are. */
function keyIn(
  shape: Readonly<Record<string, Schema>>,
  source: SourceName,
  name: string,
): string | undefined {
  if (source !== 'headers') return Object.hasOwn(shape, name) ? name : undefined
  return Object.keys(shape).find((key) => headerName(key) === headerName(name))
}
