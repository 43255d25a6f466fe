import type { DefinitionProblem } from '../../definition-error.ts'
import type { FlatRoute } from '../../flatten/flat-route.ts'
import { atDefinition } from '../../place.ts'
import { defOf } from '../../schema/schema.ts'
import type { Schema } from '../../schema/schema.ts'
import { namedModel } from '../field-names.ts'
import { membersOf } from './clone.ts'
import { isTurned } from './plans.ts'
import type { Plans } from './plans.ts'

/** What of a route a change reaches and nothing can turn. */
export function schemaProblems(route: FlatRoute, { reachOf }: Plans): readonly DefinitionProblem[] {
  const places = [
    ...route.sources.map(({ name, schema }) => ({ place: `input.${name}`, schema, isSent: false })),
    ...[...route.responses].map(([status, schema]) => ({
      place: `response ${status}`,
      schema,
      isSent: true,
    })),
  ]
  return places.flatMap(({ place, schema, isSent }) => {
    const types = new Set(findStuck(schema, reachOf, isSent, new Set()))
    return [...types].map((type) =>
      atDefinition(
        {
          code: 'unconvertible_schema',
          where: route.label,
          message: `${place} holds a model inside ${WORDS[type] ?? `z.${type}()`}, and a change reaches it`,
          fix: FIXES[type] ?? 'hold the model in an object, a list, a record, a tuple or a union',
        },
        ...route.definitions,
      ),
    )
  })
}

const WORDS: Readonly<Record<string, string>> = {
  intersection: 'an intersection',
  pipe: 'a transform',
  transform: 'a transform',
}

const FIXES: Readonly<Record<string, string>> = {
  intersection: 'write one object with extend',
  pipe: 'return what the transform makes, and declare that as the response',
}

function findStuck(
  schema: Schema,
  reachOf: Plans['reachOf'],
  isSent: boolean,
  seen: Set<Schema>,
): readonly string[] {
  if (seen.has(schema) || namedModel(schema) !== undefined || reachOf(schema).length === 0) return []
  seen.add(schema)
  const { type } = defOf(schema)
  if (!isTurned(type) || (type === 'pipe' && isSent)) return [type]
  return membersOf(schema).flatMap((member) => findStuck(member, reachOf, isSent, seen))
}
