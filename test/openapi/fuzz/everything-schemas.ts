import { defineController, defineInterceptor, reply, unprocessable } from 'octavo'
import { z } from 'zod'

/** What JSON can hold, with every check that JSON Schema knows. */
const Scalars = z.object({
  text: z.string(),
  line: z.string().min(2).max(8),
  exact: z.string().length(4),
  pattern: z.string().regex(/^[a-f]{2,4}$/),
  starts: z.string().startsWith('ab'),
  email: z.email(),
  url: z.url(),
  uuid: z.uuid(),
  moment: z.iso.datetime(),
  zoned: z.iso.datetime({ offset: true }),
  local: z.iso.datetime({ local: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  duration: z.iso.duration(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  base64: z.base64(),
  base64url: z.base64url(),
  phone: z.e164(),
  hex: z.hex(),
  int: z.int(),
  int32: z.int32(),
  positive: z.number().positive(),
  range: z.number().min(-2).max(2.5),
  open: z.number().gt(0).lt(1),
  steps: z.number().multipleOf(0.5),
  yes: z.boolean(),
  none: z.null(),
  fixed: z.literal('fixed'),
  some: z.literal([1, 'two', true]),
  size: z.enum(['s', 'm', 'l']),
  template: z.templateLiteral(['v', z.number().int().min(0)]),
  anything: z.unknown().optional(),
  json: z.json().optional(),
})

const Collections = z.object({
  list: z.array(z.number()).max(5),
  full: z.array(z.string()).min(1).max(3),
  point: z.tuple([z.number(), z.number()]),
  rest: z.tuple([z.string()], z.boolean()),
  map: z.record(z.string(), z.number()),
  keyed: z.record(z.enum(['a', 'b']), z.string()),
  partly: z.partialRecord(z.enum(['a', 'b']), z.string()),
  loose: z.looseObject({ a: z.string() }),
  strict: z.strictObject({ a: z.string().optional() }),
  rest_: z.object({ a: z.string() }).catchall(z.number()),
  deep: z.object({ deeper: z.object({ deepest: z.array(z.object({ a: z.number() })).max(2) }) }),
})

const Cat = z.object({ kind: z.literal('cat'), lives: z.number().int().min(0).max(9) }).meta({ id: 'Cat' })
const Dog = z.object({ kind: z.literal('dog'), tricks: z.array(z.string()) }).meta({ id: 'Dog' })
const Unions = z.object({
  either: z.union([z.string().min(1), z.number()]),
  pet: z.discriminatedUnion('kind', [Cat, Dog]),
  pets: z.array(z.discriminatedUnion('kind', [Cat, Dog])).max(3),
  nullable: z.string().nullable(),
  nullish: z.number().nullish(),
  optional: Cat.optional(),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  readonly: z.array(z.string()).readonly(),
})

const Tree = z
  .object({
    name: z.string(),
    get children() {
      return z.array(Tree).max(3)
    },
    get parent() {
      return Tree.nullable().optional()
    },
  })
  .meta({ id: 'Tree' })

const Changed = z.object({
  limit: z.number().int().default(10),
  first: z.string().prefault('a'),
  caught: z.number().catch(1),
  trimmed: z.string().trim(),
  lower: z.string().toLowerCase(),
  when: z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  }),
  coerced: z.coerce.number().optional(),
  piped: z.string().pipe(z.string().min(1)),
  branded: z.string().brand('Id'),
})

/** What JSON has no values for. */
const Moments = z.object({
  at: z.date(),
  until: z.date().nullable().default(null),
  list: z.array(z.date()).max(3),
  either: z.union([z.date(), z.object({ at: z.date() })]),
  big: z.bigint(),
  positive: z.bigint().positive(),
  byName: z.record(z.string(), z.bigint()),
})

/** Bodies of every kind; what comes in goes out, so that both sides of each schema are checked. */
export const bodies = defineController({
  prefix: '/bodies',
  routes: [
    {
      method: 'POST',
      path: '/scalars',
      name: 'scalars',
      input: { body: Scalars },
      response: Scalars,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/collections',
      name: 'collections',
      input: { body: Collections },
      response: Collections,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/unions',
      name: 'unions',
      input: { body: Unions },
      response: Unions,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/moments',
      name: 'moments',
      input: { body: Moments },
      response: z.object({ count: z.int() }),
      handler: ({ body }) => ({ count: body.list.length }),
    },
    {
      method: 'POST',
      path: '/tree',
      name: 'tree',
      input: { body: Tree },
      response: Tree,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/changed',
      name: 'changed',
      input: { body: Changed },
      response: z.object({ limit: z.number(), when: z.date(), trimmed: z.string() }),
      handler: ({ body: { limit, when, trimmed } }) => ({ limit, when, trimmed }),
    },
    {
      method: 'PUT',
      path: '/optional',
      name: 'optional',
      input: { body: z.object({ a: z.number() }).optional() },
      response: z.boolean(),
      handler: ({ body }) => body === undefined,
    },
    {
      method: 'POST',
      path: '/list',
      name: 'list',
      input: { body: z.array(Cat).min(1).max(3) },
      response: z.number(),
      handler: ({ body }) => body.length,
    },
    {
      method: 'POST',
      path: '/union',
      name: 'union',
      input: { body: z.discriminatedUnion('kind', [Cat, Dog]) },
      response: z.union([Cat, Dog]),
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/text',
      name: 'text',
      input: { body: z.string().max(100) },
      response: z.number(),
      handler: ({ body }) => body.length,
    },
    {
      method: 'POST',
      path: '/bytes',
      name: 'bytes',
      input: { body: z.instanceof(Uint8Array) },
      response: z.number(),
      handler: ({ body }) => body.length,
    },
    {
      method: 'POST',
      path: '/nullable',
      name: 'nullable',
      input: { body: Cat.nullable() },
      response: Cat.nullable(),
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/rules',
      name: 'rules',
      input: { body: z.object({ a: z.int() }) },
      response: z.object({ a: z.int() }),
      handler: ({ body }) => {
        if (body.a % 2 !== 0) throw unprocessable('odd')
        return body
      },
    },
  ],
})

const Enveloped = defineInterceptor({
  name: 'Enveloped',
  envelope: (schema) => z.object({ data: schema, route: z.string() }),
  intercept: async (context, next) => ({ data: await next(), route: context.route.name }),
})
const Listed = defineInterceptor({
  name: 'Listed',
  envelope: (schema) => z.tuple([schema]),
  intercept: async (_context, next) => [await next()],
})

/** Results in envelopes, and those that have none. */
export const enveloped = defineController({
  prefix: '/enveloped',
  interceptors: [Enveloped],
  routes: [
    {
      method: 'POST',
      name: 'value',
      interceptors: [Listed],
      input: { body: Collections },
      response: Collections,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/replies',
      name: 'replies',
      input: { body: z.object({ a: z.int() }) },
      response: { 200: Cat, 202: Dog, 409: z.object({ a: z.int() }), 204: z.undefined() },
      handler: ({ body: { a } }) => {
        if (a % 4 === 0) return undefined
        if (a % 3 === 0) return reply(409, { a })
        return a % 2 === 0
          ? { kind: 'cat' as const, lives: 3 }
          : reply(202, { kind: 'dog' as const, tricks: [] })
      },
    },
    {
      method: 'GET',
      path: '/items',
      name: 'items',
      items: Cat,
      handler: () => [{ kind: 'cat' as const, lives: 3 }],
    },
    {
      method: 'GET',
      path: '/bytes',
      name: 'bytes',
      response: z.instanceof(Uint8Array),
      handler: () => new Uint8Array(3),
    },
  ],
})
