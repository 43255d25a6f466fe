import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersionChange, defineVersions, operation } from 'octavo/changes'

import {
  compareSources,
  OPERATION_KINDS,
  toChangeText,
  toDrafts,
  toPlainJson,
  prepareSource,
} from '../inside/tools.ts'
import type { Drafts, KnownApp, KnownBody, RouteDraft, WrittenKind } from '../inside/tools.ts'

type Schema = Readonly<Record<string, unknown>>

const TEXT = { type: 'string' }
const WHOLE = { $ref: '#/components/schemas/User' }

function object(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema {
  return { type: 'object', properties, required }
}

interface Shown {
  readonly user?: Schema
  /** Other named schemas. */
  readonly others?: Readonly<Record<string, Schema>>
  /** What the path answers if there is none. */
  readonly missing?: Schema
  readonly body?: Schema
  readonly response?: Schema
  readonly parameters?: readonly object[]
  readonly path?: string
  readonly method?: string
  readonly status?: number
  readonly security?: readonly object[]
  /** The codes of problems with the status 409. */
  readonly codes?: readonly string[]
}

function problemsOf(codes: readonly string[]): object {
  const anyOf = codes.map((code) => object({ code: { type: 'string', const: code } }))
  return { description: 'Conflict', content: { 'application/problem+json': { schema: { anyOf } } } }
}

/** A document of one operation, `user.save`. */
function documentOf(shown: Shown): object {
  const { user = object({ id: TEXT }), body, response = WHOLE, parameters = [], security } = shown
  const { path = '/v2/user/{id}', method = 'post', status = 200, others = {}, missing, codes = [] } = shown
  return {
    openapi: '3.1.0',
    info: { title: 'Users', version: '2' },
    paths: {
      // another path, so that all begin with the version
      '/v2/other': { get: { operationId: 'other', responses: { 204: { description: 'None' } } } },
      [path]: {
        [method]: {
          operationId: 'user.save',
          ...(security === undefined ? {} : { security }),
          parameters: [{ in: 'path', name: 'id', required: true, schema: TEXT }, ...parameters],
          ...(body === undefined
            ? {}
            : { requestBody: { content: { 'application/json': { schema: body } } } }),
          responses: {
            ...(missing === undefined
              ? {}
              : { 404: { description: 'None', content: { 'application/json': { schema: missing } } } }),
            ...(codes.length === 0 ? {} : { 409: problemsOf(codes) }),
            [status]: { description: 'A user', content: { 'application/json': { schema: response } } },
          },
        },
      },
    },
    components: {
      schemas: { User: user, ...others },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function draftsOf(was: Shown, now: Shown, known: Partial<KnownApp> = {}, failOn = 'breaking'): Drafts {
  // as read from files, where no object stands in two places
  const [base, revision] = [toPlainJson(documentOf(was)), toPlainJson(documentOf(now))]
  const findings = compareSources(prepareSource(base), prepareSource(revision)).findings.map((each) => ({
    ...each,
    version: '2',
  }))
  const names = Object.keys(Object(Reflect.get(now.user ?? object({ id: TEXT }), 'properties')))
  return toDrafts(findings, ({ level }) => level === failOn, {
    base,
    revision,
    known: {
      models: [{ name: 'User', fields: names.map((name) => ({ name, isOptional: false })) }],
      objects: [],
      routes: [{ name: 'user.save', operationId: 'user.save', path: '/user/{id:uuid}', bodies: [] }],
      ...known,
    },
  })
}

describe('findings become changes', () => {
  it('one removed and one added field of the same schema are one that was renamed', () => {
    const { drafts, unwritten } = draftsOf(
      { user: object({ id: TEXT, name: { ...TEXT, description: 'The name' } }) },
      { user: object({ id: TEXT, title: TEXT }) },
    )
    assert.deepEqual(drafts, [
      { kind: 'model', model: 'User', fields: [{ kind: 'renamed', name: 'title', was: 'name' }] },
    ])
    assert.deepEqual(unwritten, [])
  })

  it('fields of other schemas are told apart, and come together', () => {
    const { drafts } = draftsOf(
      { user: object({ name: TEXT }) },
      { user: object({ names: { type: 'array', items: TEXT } }) },
    )
    assert.deepEqual(drafts, [
      {
        kind: 'model',
        model: 'User',
        fields: [
          { kind: 'removed', name: 'name', was: { schema: TEXT, isOptional: false } },
          {
            kind: 'added',
            name: 'names',
            now: { schema: { type: 'array', items: TEXT }, isOptional: false },
          },
        ],
      },
    ])
  })

  it('an object behind a reference is not taken for the one that refers to it', () => {
    const shown = (now: boolean, wrap: (cat: Schema) => Schema): object => {
      const cat = object(now ? { kind: TEXT, lifes: TEXT } : { kind: TEXT, lives: TEXT })
      const { components, ...rest } = documentOf({
        user: object({ id: TEXT, pet: wrap({ $ref: '#/components/schemas/Cat' }) }),
      }) as { readonly components: { readonly schemas: object } }
      return { ...rest, components: { ...components, schemas: { ...components.schemas, Cat: cat } } }
    }
    const field = (name: string) => ({ name, isOptional: false })
    for (const wrap of [
      (cat: Schema): Schema => ({ anyOf: [cat, { type: 'null' }] }),
      (cat: Schema): Schema => ({ type: 'array', items: { anyOf: [cat, { type: 'integer' }] } }),
    ]) {
      const [base, revision] = [toPlainJson(shown(false, wrap)), toPlainJson(shown(true, wrap))]
      const findings = compareSources(prepareSource(base), prepareSource(revision)).findings.map((each) => ({
        ...each,
        version: '2',
      }))
      const { drafts } = toDrafts(findings, ({ level }) => level === 'breaking', {
        base,
        revision,
        known: {
          models: [
            { name: 'User', fields: [field('id'), field('pet')] },
            { name: 'Cat', fields: [field('kind'), field('lifes')] },
          ],
          objects: [],
          routes: [{ name: 'user.save', operationId: 'user.save', path: '/user/{id:uuid}', bodies: [] }],
        },
      })
      assert.deepEqual(
        drafts,
        [{ kind: 'model', model: 'Cat', fields: [{ kind: 'renamed', name: 'lifes', was: 'lives' }] }],
        JSON.stringify(findings),
      )
    }
  })

  it('the object of an error is not taken for the result of the route', () => {
    const error = (name: string): Shown => ({ status: 404, response: object({ [name]: TEXT }) })
    const known = {
      models: [{ name: 'User', fields: [{ name: 'id', isOptional: false }] }],
      objects: [{ route: 'user.save', place: 'response 200', model: 'User', fields: ['id'], isRest: false }],
    }
    const { drafts, unwritten } = draftsOf(error('why'), error('reason'), known, 'warning')
    assert.deepEqual(drafts, [])
    assert.equal(unwritten.length, 1)
  })

  it('every field is a thing of its own, unless it replaced another one', () => {
    const [number, list] = [{ type: 'integer' }, { type: 'array' }]
    const { drafts } = draftsOf(
      { user: object({ id: TEXT, age: number, note: TEXT }) },
      { user: object({ id: number, age: list }) },
    )
    assert.deepEqual(
      drafts.map(
        (draft) => draft.kind === 'model' && draft.fields.map(({ kind, name }) => `${kind} ${name}`),
      ),
      [['removed note'], ['retyped age'], ['retyped id']],
    )
  })

  describe('fields that went and came in one edit', () => {
    const number = { type: 'number' }
    const text = { ...TEXT }
    const cases: Readonly<Record<string, readonly [was: Schema, now: Schema, things: readonly string[]]>> = {
      'a split field beside one of another unit': [
        object({ id: TEXT, name: text, price: number }),
        object({ id: TEXT, firstName: text, lastName: text, priceCents: { type: 'integer' } }),
        ['-name +firstName +lastName', '-price +priceCents'],
      ],
      'a renamed field beside a new one': [
        object({ id: TEXT, name: text }),
        object({ id: TEXT, fullName: text, isbn: text }),
        ['name>fullName', '+isbn'],
      ],
      'two renamed fields of one schema': [
        object({ author: text, name: text }),
        object({ authorName: text, penName: text }),
        ['author>authorName', 'name>penName'],
      ],
      'another spelling beside one that is gone': [
        object({ id: TEXT, colour: text, note: number }),
        object({ id: TEXT, color: text }),
        ['colour>color', '-note'],
      ],
      'another word beside one that may be left out': [
        object({ id: TEXT, name: text }),
        object({ id: TEXT, alias: text, pages: number }, ['id', 'alias']),
        ['name>alias'],
      ],
      'several words of one schema': [
        object({ id: TEXT, name: text }),
        object({ id: TEXT, alias: text, isbn: text }),
        ['-name +alias +isbn'],
      ],
      'ids of different things': [
        object({ id: TEXT, userId: text, size: number }),
        object({ id: TEXT, orderId: text, weight: number }),
        ['-userId -size +orderId +weight'],
      ],
      'members that moved out of an object beside a new field': [
        object({ id: TEXT, shop: object({ street: text, city: text }) }),
        object({ id: TEXT, street: text, city: text, pages: number }),
        ['-shop +street +city', '+pages'],
      ],
      'fields that moved into an object': [
        object({ id: TEXT, name: text, price: number, note: text }),
        object({ id: TEXT, sale: object({ name: text, price: number }) }),
        ['-name -price +sale', '-note'],
      ],
    }
    const MARKS = { added: '+', removed: '-', retyped: '=', renamed: '' }
    for (const [title, [was, now, things]] of Object.entries(cases))
      it(title, () => {
        const sent = { body: WHOLE }
        const { drafts } = draftsOf({ user: was, ...sent }, { user: now, ...sent })
        const shown = drafts.map((draft) =>
          draft.kind === 'model'
            ? draft.fields
                .map((field) =>
                  field.kind === 'renamed' ? `${field.was}>${field.name}` : MARKS[field.kind] + field.name,
                )
                .join(' ')
            : 'route',
        )
        assert.deepEqual(shown, things)
      })
  })

  describe('a part of a model that lost a field', () => {
    const part = (isRest: boolean, exported?: string): Partial<KnownApp> => ({
      models: [{ name: 'User', fields: ['id', 'age'].map((name) => ({ name, isOptional: false })) }],
      objects: [{ route: 'user.save', place: 'body', model: 'User', fields: ['age'], isRest, exported }],
    })
    const [user, now] = [
      object({ id: TEXT, age: TEXT, note: TEXT }),
      { user: object({ id: TEXT, age: TEXT }), body: object({ age: TEXT }) },
    ]
    const had = { user, body: object({ age: TEXT, note: TEXT }) }
    const lacked = { user, body: object({ age: TEXT }) }
    const listsOf = ({ drafts }: Drafts): readonly unknown[] =>
      drafts.map((draft) => draft.kind === 'model' && [draft.applies, draft.not])

    it('is listed in applies if it was made by pick, and had the field', () => {
      const named = draftsOf(had, now, part(false, 'NewUser'))
      assert.deepEqual(listsOf(named), [[['NewUser'], undefined]])
      assert.deepEqual(named.unwritten, [])
      const [left] = draftsOf(had, now, part(false)).unwritten
      assert.match(left?.why ?? '', /^a part of User had note: export it beside the model, .* in applies of/)
    })

    it('is listed in not if it was made by omit, and never had the field', () => {
      const named = draftsOf(lacked, now, part(true, 'NewUser'))
      assert.deepEqual(listsOf(named), [[undefined, ['NewUser']]])
      assert.deepEqual(named.unwritten, [])
      const [left] = draftsOf(lacked, now, part(true)).unwritten
      assert.match(left?.why ?? '', /^a part of User never had note: export it .* in not of the change/)
    })

    it('is in no list otherwise', () => {
      for (const [was, isRest] of [
        [had, true],
        [lacked, false],
      ] as const) {
        const named = draftsOf(was, now, part(isRest, 'NewUser'))
        assert.deepEqual(listsOf(named), [[undefined, undefined]])
        assert.deepEqual(named.unwritten, [])
      }
    })

    it('is in no list if its route is new', () => {
      const named = draftsOf(lacked, now, { ...part(true, 'NewUser'), routes: [] })
      assert.deepEqual(listsOf(named), [[undefined, undefined]])
    })
  })

  it('what breaks nobody is left out', () => {
    const { drafts } = draftsOf(
      { user: object({ id: TEXT, size: { type: 'number' } }) },
      { user: object({ id: { type: 'integer' }, size: { type: 'integer' }, more: TEXT }) },
    )
    const [draft] = drafts
    assert.ok(draft?.kind === 'model')
    assert.deepEqual(
      draft.fields.map(({ kind, name }) => `${kind} ${name}`),
      ['retyped id'],
    )
  })

  it('parts of models count by the fields that they have, and what PATCH leaves out is not optional', () => {
    const known: Partial<KnownApp> = {
      objects: [{ route: 'user.save', place: 'body', model: 'User', fields: ['age'], isRest: false }],
    }
    const [was, now] = [{ type: 'integer' }, TEXT]
    const { drafts } = draftsOf(
      { user: object({ age: now }), body: object({ age: was }, []) },
      { user: object({ age: now }), body: object({ age: now }, []) },
      known,
    )
    assert.deepEqual(drafts, [
      {
        kind: 'model',
        model: 'User',
        fields: [
          {
            kind: 'retyped',
            name: 'age',
            was: { schema: was, isOptional: false },
            now: { schema: now, isOptional: false },
            sides: ['request'],
          },
        ],
      },
    ])
  })

  describe('models in nullable members, unions and lists', () => {
    const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
    const pets = (lives: string): Shown['others'] => ({
      Cat: object({ kind: { const: 'cat' }, [lives]: { type: 'integer' } }),
      Dog: object({ kind: { const: 'dog' }, name: TEXT }),
    })
    const known = (...places: readonly string[]): Partial<KnownApp> => {
      const models = [
        { name: 'User', fields: ['id', 'pet'] },
        { name: 'Cat', fields: ['kind', 'lifes'] },
        { name: 'Dog', fields: ['kind', 'name'] },
      ]
      return {
        models: models.map(({ name, fields }) => ({
          name,
          fields: fields.map((field) => ({ name: field, isOptional: false })),
        })),
        objects: models.flatMap(({ name, fields }) =>
          places
            .map((place) => (name === 'User' ? place : `${place}.pet`))
            .map((place) => ({ route: 'user.save', place, model: name, fields, isRest: false })),
        ),
      }
    }
    const all: readonly Schema[] = [
      { anyOf: [ref('Cat'), { type: 'null' }] },
      { anyOf: [ref('Cat'), ref('Dog')] },
      { type: 'object', oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
      { type: 'array', items: { oneOf: [ref('Cat'), ref('Dog'), { type: 'null' }] } },
    ]
    for (const pet of all)
      for (const isSent of [true, false])
        it(`a renamed field: ${JSON.stringify(pet)}${isSent ? ' in a request' : ''}`, () => {
          const user = object({ id: TEXT, pet })
          const shown = { user, ...(isSent ? { body: object({ pet }, []) } : {}) }
          const { drafts, unwritten } = draftsOf(
            { ...shown, others: pets('lives') ?? {} },
            { ...shown, others: pets('lifes') ?? {} },
            known('body', 'response 200'),
          )
          assert.deepEqual(drafts, [
            { kind: 'model', model: 'Cat', fields: [{ kind: 'renamed', name: 'lifes', was: 'lives' }] },
          ])
          assert.deepEqual(unwritten, [])
        })

    const [nullable = {}] = all
    const plain = ref('Cat')
    for (const [title, was, now] of [
      ['cannot be null', nullable, plain],
      ['can be null', plain, nullable],
    ] as const)
      it(`the member of the outer object is what ${title}`, () => {
        const others = pets('lifes') ?? {}
        const { drafts } = draftsOf(
          { user: object({ id: TEXT, pet: was }), body: object({ pet: was }, []), others },
          { user: object({ id: TEXT, pet: now }), body: object({ pet: now }, []), others },
          known('body', 'response 200'),
        )
        assert.equal(drafts.length, 1)
        const [draft] = drafts
        assert.ok(draft?.kind === 'model' && draft.model === 'User')
        assert.deepEqual(
          draft.fields.map((field) => [field.kind, field.name, 'was' in field && field.was]),
          [['retyped', 'pet', { schema: was, isOptional: false }]],
        )
      })

    it('nothing is written for one of several objects without a name', () => {
      const union = (name: string): Schema => ({
        anyOf: [object({ [name]: TEXT }), object({ b: { type: 'integer' }, c: TEXT }), ref('Dog')],
      })
      const { drafts, unwritten } = draftsOf(
        { user: object({ pet: union('a') }), others: pets('lifes') ?? {} },
        { user: object({ pet: union('z') }), others: pets('lifes') ?? {} },
        known('response 200'),
      )
      assert.deepEqual(
        drafts.map((draft) => draft.kind === 'model' && draft.model).filter((model) => model !== 'User'),
        [],
      )
      assert.match(unwritten[0]?.why ?? '', /^the place is in a union or an intersection/)
    })

    it('a field that several alternatives have is no field of the first one', () => {
      const named = (kind: Schema) => ({
        Cat: object({ kind: TEXT, lifes: { type: 'integer' } }),
        Dog: object({ kind, name: TEXT }),
      })
      const pet = { anyOf: [ref('Cat'), ref('Dog')] }
      const { drafts } = draftsOf(
        { user: object({ id: TEXT, pet }), others: named(TEXT) },
        { user: object({ id: TEXT, pet }), others: named({ type: 'integer' }) },
        known('response 200'),
      )
      const models = drafts.map((draft) => draft.kind === 'model' && draft.model)
      assert.deepEqual(
        models.filter((model) => model === 'Cat'),
        [],
      )
    })

    it('an object of another status is no model', () => {
      const { drafts, unwritten } = draftsOf(
        { missing: object({ why: TEXT }) },
        { missing: object({ reason: TEXT }) },
        known('response 200', 'response default'),
        'warning',
      )
      assert.deepEqual(drafts, [])
      assert.match(unwritten[0]?.why ?? '', /^describe the whole body by response: \{ body: \{ 404: /)
    })
  })

  describe('an object that is no model', () => {
    const withBody = (body: Partial<KnownBody>): Drafts => {
      const known: KnownBody = {
        key: 'body',
        text: undefined,
        names: [],
        isPlain: false,
        change: undefined,
        ...body,
      }
      const routes = [{ name: 'user.save', operationId: 'user.save', path: '/user', bodies: [known] }]
      return draftsOf({ body: object({ a: TEXT }) }, { body: object({ a: TEXT, b: TEXT }) }, { routes })
    }
    const whyOf = ({ drafts, unwritten }: Drafts): string => {
      assert.deepEqual(drafts, [])
      return unwritten[0]?.why ?? ''
    }

    it('becomes a whole body that was another one', () => {
      const { drafts, unwritten } = withBody({ isPlain: true })
      assert.deepEqual(unwritten, [])
      const [draft] = drafts
      assert.ok(draft?.kind === 'route')
      assert.deepEqual(draft.body, {
        key: 'body',
        was: { schema: object({ a: TEXT }), isOptional: true },
        now: { schema: object({ a: TEXT, b: TEXT }), isOptional: true },
        text: undefined,
        names: [],
        query: [],
      })
    })

    it('is told if its schema cannot be written, or a change describes it already', () => {
      assert.match(whyOf(withBody({})), /^export the schema of the request body by name from a file/)
      assert.match(whyOf(withBody({ change: 'b' })), /^the change "b" already describes the request body/)
      assert.match(whyOf(withBody({ key: 200 })), /^describe the whole body by body: \{ now, was, up \}/)
    })
  })

  it('a path parameter of a model is a field of it, and any other one is said', () => {
    const number = [{ in: 'query', name: 'sort', schema: TEXT }]
    const text = [{ in: 'query', name: 'sort', schema: { type: 'integer' } }]
    const known: Partial<KnownApp> = {
      models: [{ name: 'User', fields: [{ name: 'sort', isOptional: true }] }],
      objects: [{ route: 'user.save', place: 'query', model: 'User', fields: ['sort'], isRest: false }],
    }
    const { drafts } = draftsOf({ parameters: number }, { parameters: text }, known)
    assert.deepEqual(
      drafts.map((draft) => draft.kind === 'model' && draft.fields.map(({ name }) => name)),
      [['sort']],
    )
    const [plain] = draftsOf({ parameters: number }, { parameters: text }).drafts
    assert.ok(plain?.kind === 'route')
    assert.equal(plain.parameters[0]?.source, 'query')
  })

  it('an address keeps the parameters of the pattern, without the version, and the status is another thing', () => {
    const { drafts } = draftsOf(
      { path: '/v2/people/{id}/all', method: 'put', status: 201 },
      { path: '/v2/user/{id}', status: 202 },
    )
    const route = {
      kind: 'route',
      routes: [{ route: 'user.save', now: { method: 'POST', path: '/user/{id:uuid}' } }],
      parameters: [],
      headers: [],
    }
    assert.deepEqual(drafts, [
      { ...route, path: '/people/{id:uuid}/all', method: 'PUT' },
      { ...route, status: { was: 201, now: 202 } },
    ])
  })

  it('paths that gained a parameter keep the others by their names, wherever they stand', () => {
    const addressOf = (path: string, now: string): unknown => {
      const routes = [{ name: 'user.save', operationId: 'user.save', path: now.slice(3), bodies: [] }]
      const [draft] = draftsOf({ path }, { path: now }, { routes }).drafts
      return draft?.kind === 'route' && [draft.gained, draft.routes[0]?.before]
    }
    const before = { path: '/user/{id}', parameters: { id: TEXT } }
    assert.deepEqual(addressOf('/v2/user/{id}', '/v2/teams/{team}/user/{id}'), [['team'], before])
    assert.deepEqual(addressOf('/v2/user/{id}', '/v2/user/{id}/{part}'), [['part'], before])
    assert.deepEqual(addressOf('/v2/{id}', '/v2/{team}/{id}'), [['team'], { ...before, path: '/{id}' }])
    assert.deepEqual(addressOf('/v2/user/{key}', '/v2/{team}/user/{id}'), [
      ['team'],
      { ...before, path: '/user/{id}' },
    ])
  })

  it('parameters are renamed, added, removed and retyped', () => {
    const parameter = (name: string, schema: Schema, required = true): object => ({
      in: 'query',
      name,
      required,
      schema,
    })
    const { drafts } = draftsOf(
      { parameters: [parameter('sort', TEXT), parameter('size', { type: 'string' }, false)] },
      { parameters: [parameter('order', TEXT), parameter('size', { type: 'integer' }, false)] },
    )
    assert.deepEqual(
      drafts.map(
        (draft) =>
          draft.kind === 'route' && draft.parameters.map(({ field }) => `${field.kind} ${field.name}`),
      ),
      [['renamed order'], ['retyped size']],
    )
  })

  it('a list whose items became another object is the difference, and not the fields of that object', () => {
    const listOf = (name: string): Schema =>
      object({ data: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } })
    const user = object({ id: TEXT })
    const others = { Wrapper: object({ User: { $ref: '#/components/schemas/User' } }) }
    const known: Partial<KnownApp> = {
      objects: [
        { route: 'user.save', place: 'response 200.data[]', model: 'User', fields: ['id'], isRest: false },
      ],
    }
    const { drafts } = draftsOf(
      { user, others, response: listOf('Wrapper') },
      { user, response: listOf('User') },
      known,
    )
    assert.deepEqual(
      drafts.filter(({ kind }) => kind === 'model'),
      [],
    )
  })

  it('a parameter that routes do not read is said', () => {
    const sent = (values: readonly string[], own: object): object => ({
      in: 'query',
      name: 'fields',
      schema: { type: 'array', items: { type: 'string', enum: values } },
      ...own,
    })
    for (const own of [{ explode: false }, { style: 'pipeDelimited', explode: false }]) {
      const [was, now] = [sent(['a', 'b'], own), sent(['a'], own)]
      const { drafts, unwritten } = draftsOf({ parameters: [was] }, { parameters: [now] })
      assert.deepEqual(drafts, [])
      assert.match(unwritten[0]?.why ?? '', /^declare the parameter in the input of the route/)
    }
  })

  it('the code of a problem that came in the place of another', () => {
    const { drafts, unwritten } = draftsOf(
      { codes: ['taken', 'locked'] },
      { codes: ['name_taken', 'locked'] },
      {},
      'warning',
    )
    assert.deepEqual(unwritten, [])
    assert.deepEqual(
      drafts.map((draft) => draft.kind === 'route' && draft.problems),
      [[{ code: 'name_taken', was: 'taken' }]],
    )
    const several = draftsOf({ codes: ['taken'] }, { codes: ['name_taken', 'locked'] }, {}, 'warning')
    assert.deepEqual(several.drafts, [])
    assert.match(several.unwritten[0]?.why ?? '', /^describe it by errors of an operation/)
  })

  it('what no change describes is said, with what helps', () => {
    const moved = draftsOf({}, { path: '/v2/elsewhere/{id}', method: 'post' })
    assert.equal(moved.unwritten.length, 0)
    const secured = draftsOf({ security: [] }, { security: [{ key: [] }] })
    assert.deepEqual(secured.drafts, [])
    assert.match(secured.unwritten[0]?.why ?? '', /^keep accepting the old credentials/)
  })
})

describe('the kinds of operations', () => {
  const was = { schema: { type: 'string' }, isOptional: false }
  const field = { kind: 'renamed', name: 'newer', was: 'older' } as const
  const list = { schema: { type: 'array', items: { type: 'string' } }, isOptional: false }
  const properties = { items: list.schema, next: { type: 'string' } }
  const page = { schema: { type: 'object', properties }, isOptional: false }
  /** A draft of each kind that is written. A kind without one fails the type check. */
  const drafts: Readonly<Record<WrittenKind, Partial<RouteDraft>>> = {
    path: { path: '/old' },
    method: { method: 'POST' },
    status: { status: { was: 201, now: 200 } },
    query: { parameters: [{ source: 'query', field }] },
    headers: { parameters: [{ source: 'headers', field }] },
    cookies: { parameters: [{ source: 'cookies', field }] },
    input: { gained: ['team'] },
    body: { body: { key: 'body', was, now: was, text: undefined, names: [], query: [] } },
    errors: { problems: [{ code: 'car_sold', was: 'sold', status: 410 }] },
    paged: { body: { key: 200, was: list, now: page, text: undefined, names: [], query: ['cursor'] } },
    'response.headers': { headers: [{ kind: 'retyped', name: 'etag', was, now: was, sides: ['response'] }] },
    'response.body': { body: { key: 200, was, now: was, text: undefined, names: [], query: [] } },
    'response.status': { success: { was: 201, now: 200 } },
  }
  const names = { components: {}, modelOf: () => undefined }
  const writing = {
    base: names,
    revision: names,
    modelName: (model: string) => model,
    isOpen: false,
    isForwarding: false,
  }

  for (const [kind, { isWritten }] of Object.entries(OPERATION_KINDS))
    if (isWritten)
      it(`${kind}: is written as a member of the operation`, () => {
        const own = Object.entries(drafts).find(([each]) => each === kind)?.[1]
        const before = kind === 'input' ? { before: { path: '/user', parameters: {} } } : {}
        const route = { route: 'user.read', now: { method: 'GET', path: '/user' }, ...before }
        const draft = { kind: 'route', routes: [route], parameters: [], headers: [], ...own } as const
        const code = toChangeText(draft, writing)?.code ?? ''
        const member = kind.split('.').join(': { ')
        const path = kind === 'input' ? "path: { was: '/user' }, " : ''
        assert.ok(code.includes(`change: [operation({ route: 'user.read', ${path}${member}: { `), code)
      })

  it('share one function that makes the parameter which their paths gained', () => {
    const routes = ['read', 'save'].map((name) => ({
      route: `user.${name}`,
      now: { method: 'GET', path: `/{team}/${name}` },
      before: { path: `/${name}`, parameters: {} },
    }))
    const draft = { kind: 'route', routes, parameters: [], headers: [], gained: ['team'] } as const
    const { title, code, shared } = toChangeText(draft, writing) ?? {}
    assert.equal(title, '`GET /{team}/read` and `GET /{team}/save` have `team` in the path')
    assert.deepEqual(shared, [
      "const withTeam = <P>({ params }: { params: P }) => ({ params: { ...params, team: fillIn('string') } })",
    ])
    const parts = ['read', 'save'].map(
      (name) =>
        `operation({ route: 'user.${name}', path: { was: '/${name}' }, input: { was: { params: z.object({}) }, up: withTeam } })`,
    )
    assert.ok(code?.includes(`change: [${parts.join(', ')}]`), code)
  })

  it('are the members that operations may have', () => {
    const define = (kind: string): unknown => {
      const [member = '', own] = kind.split('.')
      const value = kind === 'withoutGuards' ? [] : {}
      const options = { route: 'user.read', [member]: own === undefined ? value : { [own]: {} } }
      const change = defineVersionChange({ version: '2', title: 'T', change: [operation(options)] })
      return defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
    }
    const isUnknown = (kind: string): boolean => {
      try {
        define(kind)
        return false
      } catch (error) {
        return String(error).includes('.other')
      }
    }
    const kinds = [...Object.keys(OPERATION_KINDS), 'other', 'response.other']
    assert.deepEqual(kinds.filter(isUnknown), ['other', 'response.other'])
  })
})
