import assert from 'node:assert/strict'

/** A document with one operation whose request and response have a schema, and components that it may refer to. */
export function documentOf(
  schemas: { readonly request?: unknown; readonly response?: unknown },
  components: Readonly<Record<string, unknown>> = {},
  openapi = '3.1.0',
): unknown {
  return {
    openapi,
    info: { title: 'Cars', version: '1' },
    paths: {
      '/cars': {
        post: {
          operationId: 'car.create',
          ...(schemas.request === undefined
            ? {}
            : {
                requestBody: { required: true, content: { 'application/json': { schema: schemas.request } } },
              }),
          responses: {
            200: {
              description: 'The car',
              ...(schemas.response === undefined
                ? {}
                : { content: { 'application/json': { schema: schemas.response } } }),
            },
          },
        },
      },
    },
    components: { schemas: components },
  }
}

/** An older and a newer schema, and what the gate says of them in requests and in responses: level and rule, or `none`. */
export interface SchemaPair {
  /** Why it is so. */
  readonly reason: string
  readonly old: unknown
  readonly now: unknown
  readonly request: string
  readonly response: string
  /** What both may refer to. */
  readonly components?: Readonly<Record<string, unknown>>
  /** What the newer one refers to, if that is something else. */
  readonly newComponents?: Readonly<Record<string, unknown>>
  readonly openapi?: string
}

/** A pair in one line: the reason, both schemas, both verdicts, and what else there is to it. */
export function pair(
  ...[reason, old, now, request, response, more]: readonly [
    string,
    unknown,
    unknown,
    string,
    string,
    Pick<SchemaPair, 'components' | 'newComponents' | 'openapi'>?,
  ]
): SchemaPair {
  return { reason, old, now, request, response, ...more }
}

/** An object schema. A name with `?` is optional. */
export function object(properties: Readonly<Record<string, unknown>>, more: object = {}): object {
  const names = Object.keys(properties)
  const required = names.filter((name) => !name.endsWith('?'))
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name]])),
    ...(required.length > 0 ? { required } : {}),
    ...more,
  }
}

export const string = { type: 'string' } as const
export const integer = { type: 'integer' } as const
export const number = { type: 'number' } as const
export const boolean = { type: 'boolean' } as const
export const array = (items: unknown, more: object = {}): object => ({ type: 'array', items, ...more })
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

/** Fails if a message lacks a value for a word in braces of its rule. */
export function assertFilled(message: string): void {
  assert.doesNotMatch(message, /\bundefined\b/)
}
