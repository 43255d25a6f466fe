import { Ajv } from 'ajv'
import { Compile } from 'typebox/compile'
import { safeParse } from 'valibot'
import { z } from 'zod'

import { parsePattern } from '../../src/router/path/pattern.ts'
import { createValidator } from '../../src/schema/validator.ts'
import { readSources } from '../../src/schema/sources.ts'
import { isPromise } from '../../src/base/values.ts'
import type { HttpRequest, QueryRecord } from '../../src/http/http.ts'
import { createSourceReader } from '../../src/server/request/read-sources.ts'
import { DEFAULT_LIMITS } from '../../src/server/options/app-options.ts'
import { JSON_SCHEMAS } from './json-schema.ts'
import { TYPEBOX } from './typebox.ts'
import { VALIBOT } from './valibot.ts'
import type { Kind } from './values.ts'
import { OCTAVO, ZOD } from './zod.ts'

/** The value as the schema makes it, or where its problems are. */
export type Outcome = { readonly value: unknown } | { readonly paths: () => readonly string[] }

/** Makes what validates values of a kind. */
export type Contestant = (kind: Kind) => (value: unknown) => Outcome

export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  octavo: (kind) => {
    const validate = kind === 'query' ? toQueryReader() : createValidator(OCTAVO[kind])
    return (value) => {
      const result = validate(value)
      if (isPromise(result)) throw new Error('these schemas are not asynchronous')
      return 'value' in result ? result : { paths: () => result.issues.map(({ path }) => path.join('.')) }
    }
  },
  'zod safeParse': (kind) => fromZod(ZOD[kind]),
  'z.compile': (kind) => fromZod(z.compile(ZOD[kind], { strict: true })),
  ajv: (kind) => {
    const ajv = new Ajv({ allErrors: true, coerceTypes: kind === 'query' })
    const validate = ajv.compile(JSON_SCHEMAS[kind])
    return (value) => {
      if (validate(value)) return { value }
      const errors = validate.errors ?? []
      return { paths: () => errors.map(({ instancePath }) => fromPointer(instancePath)) }
    }
  },
  typebox: (kind) => {
    const type = Compile(TYPEBOX[kind])
    return (given) => {
      const value = kind === 'query' ? type.Convert(given) : given
      if (type.Check(value)) return { value }
      const errors = type.Errors(value)
      return { paths: () => errors.map(({ instancePath }) => fromPointer(instancePath)) }
    }
  },
  valibot: (kind) => {
    const schema = VALIBOT[kind]
    return (given) => {
      const { success, output, issues } = safeParse(schema, given)
      if (success) return { value: output }
      return { paths: () => issues.map(({ path = [] }) => path.map(({ key }) => String(key)).join('.')) }
    }
  },
}

function fromZod(schema: z.ZodType): (value: unknown) => Outcome {
  return (value) => {
    const result = schema.safeParse(value)
    if (result.success) return { value: result.data }
    const { issues } = result.error
    return { paths: () => issues.map(({ path }) => path.join('.')) }
  }
}

/** Reads a query as a request's is read: the values found by name, texts turned into numbers, then validated. */
function toQueryReader(): (value: unknown) => ReturnType<ReturnType<typeof createSourceReader>> {
  const pattern = parsePattern('/')
  if (!('segments' in pattern)) throw new Error('/ is a pattern')
  const [source] = readSources({ query: OCTAVO.query }, pattern, [])
  if (source === undefined) throw new Error('the query is a source')
  const read = createSourceReader(source, { hidden: [], limits: DEFAULT_LIMITS }, undefined)
  return (query) => read({ query: query as QueryRecord } as HttpRequest, {}, NO_LIFETIME)
}

/** Nothing of a query has to be ended. */
const NO_LIFETIME = { atEnd: () => undefined }

function fromPointer(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.')
}
