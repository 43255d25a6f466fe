import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  conflict,
  createApp,
  DefinitionError,
  defineController,
  defineErrorFormat,
  defineGuard,
  defineModule,
  defineProblem,
  notFound,
  reply,
  Session,
  type AnyGuard,
  type AnyProblem,
} from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { createClient, ProblemError } from 'octavo/client'
import { z } from 'zod'

const CarSold = defineProblem({
  code: 'car_sold',
  status: 409,
  title: 'The car is sold',
  members: z.object({ buyer: z.string(), since: z.string().default('today') }),
  example: { detail: 'Ann has bought it', buyer: 'Ann' },
})
const CarReserved = defineProblem({ code: 'car_reserved', status: 409, title: 'The car is reserved' })
const CarNotFound = defineProblem({
  code: 'car_not_found',
  status: 404,
  title: 'There is no such car',
  type: 'https://cars.example/no-car',
})
const Closed = defineProblem({ code: 'shop_closed', status: 503, title: 'The shop is closed' })
const Banned = defineProblem({ code: 'banned', status: 403, title: 'The customer is banned' })

const NotBanned = defineGuard({
  name: 'NotBanned',
  problems: [Banned],
  canActivate: ({ request }) => {
    if (request.header('x-name') === 'Max') throw Banned()
    return true
  },
})

const cars = defineController({
  name: 'CarController',
  problems: [CarNotFound],
  routes: [
    {
      method: 'POST',
      path: '/{id:int}/buy',
      name: 'buy',
      guards: [NotBanned],
      problems: [CarSold, CarReserved],
      response: z.object({ owner: z.string() }),
      handler: ({ params: { id } }) => {
        if (id === 1) throw CarSold('Ann has bought it', { buyer: 'Ann' })
        if (id === 2) throw CarReserved()
        if (id === 3) throw CarNotFound('There is no car 3', undefined, { headers: { 'x-next': '4' } })
        if (id === 4) throw Closed()
        if (id === 5) throw notFound('Lost')
        if (id === 6) throw conflict('Sold', { code: 'car_sold', since: 'today' })
        if (id === 7) throw notFound('Reserved', { code: 'car_reserved' })
        if (id === 8) throw conflict('Sold', { code: 'car_sold', since: 'today', buyer: 'Ann' })
        return { owner: 'You' }
      },
    },
    { method: 'GET', path: '/{id:int}', name: 'get', handler: ({ params: { id } }) => ({ id }) },
  ],
})

const CarsModule = defineModule({ name: 'CarsModule', controllers: [cars], problems: [Closed] })
const app = createApp(CarsModule, { logger: false, docs: { info: { title: 'Cars', version: '1' } } })

describe('a declared problem', () => {
  it('is thrown as a problem document with its code, status, title and members', async () => {
    const sold = await app.inject({ method: 'POST', url: '/car/1/buy' })
    assert.equal(sold.statusCode, 409)
    assert.equal(sold.headers['content-type'], 'application/problem+json')
    assert.deepEqual(sold.json(), {
      type: 'about:blank',
      title: 'The car is sold',
      status: 409,
      detail: 'Ann has bought it',
      code: 'car_sold',
      buyer: 'Ann',
      since: 'today',
    })
    const lost = await app.inject({ method: 'POST', url: '/car/3/buy' })
    assert.equal(lost.headers['x-next'], '4')
    assert.deepEqual(lost.json(), {
      type: 'https://cars.example/no-car',
      title: 'There is no such car',
      status: 404,
      detail: 'There is no car 3',
      code: 'car_not_found',
    })
  })

  it('is a result of the client, told apart by its code', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://cars', fetch: app.fetch })
    const sold = await client.car.buy({ params: { id: 1 } })
    assert.equal(sold.ok, false)
    if (sold.ok) return
    if (sold.data.code === 'car_sold') {
      const { buyer, status }: { buyer: string; status: 409 } = sold.data
      assert.deepEqual([buyer, status], ['Ann', 409])
    } else assert.fail(sold.data.code satisfies 'car_reserved' | 'car_not_found' | 'shop_closed')
    const closed = await client.car.buy({ params: { id: 4 } })
    assert.equal(closed.status, 503)
    const bought = await client.car.buy({ params: { id: 9 } })
    if (!bought.ok) return assert.fail()
    assert.equal(bought.data.owner satisfies string, 'You')
  })

  it('is beside problems that no route declares, which the client throws', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://cars', fetch: app.fetch })
    await assert.rejects(client.car.buy({ params: { id: 5 } }), (error) => {
      assert.ok(error instanceof ProblemError)
      assert.equal(error.code, 'not_found')
      return true
    })
  })

  it('is in documents, with one media type for each status', async () => {
    await app.ready()
    const { body } = await app.inject('/docs/openapi.json')
    const { responses } = JSON.parse(body).paths['/car/{id}/buy'].post
    const example = { type: 'about:blank', title: 'The car is sold', status: 409 }
    const base = { $ref: '#/components/schemas/ProblemDetails' }
    const coded = (code: string, members: object = {}): object => ({
      allOf: [
        base,
        {
          type: 'object',
          properties: {
            code: { type: 'string', const: code },
            ...members,
          },
          required: ['code', ...Object.keys(members)],
        },
      ],
    })
    assert.deepEqual(responses['409'], {
      description: 'The car is sold. The car is reserved',
      content: {
        'application/problem+json': {
          schema: {
            anyOf: [
              coded('car_sold', {
                buyer: { type: 'string' },
                since: { type: 'string', default: 'today' },
              }),
              coded('car_reserved'),
            ],
          },
          examples: {
            car_sold: { value: { ...example, detail: 'Ann has bought it', code: 'car_sold', buyer: 'Ann' } },
            car_reserved: { value: { ...example, title: 'The car is reserved', code: 'car_reserved' } },
          },
        },
      },
    })
    assert.deepEqual(responses['503'].content['application/problem+json'].schema, coded('shop_closed'))
    const { title } = CarNotFound
    const { examples, ...lost } = responses['404'].content['application/problem+json']
    assert.deepEqual(lost, { schema: { anyOf: [coded('car_not_found'), base] } })
    assert.deepEqual(Object.keys(examples), ['car_not_found', 'route_not_found'])
    assert.equal(examples.car_not_found.value.title, title)
    assert.deepEqual(responses['403'].content['application/problem+json'].schema.anyOf, [
      coded('banned'),
      base,
    ])
  })
})

describe('an error that a route does not declare, beside errors that it declares', () => {
  const given = async (validateResponses: boolean | 'strict') => {
    const warnings: string[] = []
    const ignore = (): void => undefined
    const logged = (_details: object, message?: string): void => void warnings.push(message ?? '')
    const own = createApp(CarsModule, {
      logger: { debug: ignore, info: ignore, warn: logged, error: ignore },
      validateResponses,
    })
    await own.ready()
    const statuses = []
    for (const id of [5, 5, 6, 7, 8, 4, 1, 9]) {
      const { statusCode } = await own.inject({ method: 'POST', url: `/car/${id}/buy` })
      statuses.push(statusCode)
    }
    return { statuses, warnings }
  }
  const messages = [
    'not_found, which its problems do not declare',
    'car_sold without buyer, which its problem requires',
    'car_reserved with the status 404, which its problems do not declare',
  ].map((mistake) => `car.buy: POST /car/{id:int}/buy threw the code ${mistake}`)

  it('is logged once', async () => {
    assert.deepEqual(await given(true), {
      statuses: [404, 404, 409, 404, 409, 503, 409, 200],
      warnings: messages,
    })
  })

  it('is a 500 where responses are validated strictly', async () => {
    assert.deepEqual(await given('strict'), {
      statuses: [500, 500, 500, 500, 409, 503, 409, 200],
      warnings: [],
    })
  })
})

describe('a problem in an application with an error format', () => {
  const errorFormat = defineErrorFormat({
    schema: z.object({ reason: z.string() }),
    format: ({ code }) => ({ reason: code }),
  })
  const own = createApp(CarsModule, {
    logger: false,
    errorFormat,
    docs: { info: { title: 'C', version: '1' } },
  })

  it('has the format, and the client throws it', async () => {
    const client = createClient<typeof own>({ baseUrl: 'http://cars', fetch: own.fetch })
    await assert.rejects(client.car.buy({ params: { id: 1 } }), { name: 'ProblemError', status: 409 })
    const bought = await client.car.buy({ params: { id: 9 } })
    assert.equal(bought.data.owner satisfies string, 'You')
    await own.ready()
    const { body } = await own.inject('/docs/openapi.json')
    const { content } = JSON.parse(body).paths['/car/{id}/buy'].post.responses['409']
    assert.deepEqual(content, { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } })
  })
})

describe('defineProblem', () => {
  const mistakesOf = (define: () => unknown): readonly string[] => {
    try {
      define()
    } catch (error) {
      if (error instanceof DefinitionError)
        return error.errors.map(({ code, message }) => `${code}: ${message}`)
      throw error
    }
    return []
  }
  const given = { code: 'car_sold', status: 409, title: 'Sold' }
  const cases: readonly (readonly [options: object, mistake: string])[] = [
    [{ ...given, code: 'CarSold' }, 'invalid_option: code is "CarSold"'],
    [{ ...given, code: 'car__sold' }, 'invalid_option: code is "car__sold"'],
    [{ ...given, status: 302 }, 'invalid_option: status is'],
    [{ ...given, title: '' }, 'invalid_option: title is'],
    [{ code: 'car_sold', status: 409 }, 'invalid_option: title is missing'],
    [{ ...given, statuss: 409 }, 'unknown_option: there is no option "statuss"'],
    [{ ...given, members: z.string() }, 'invalid_option: members is'],
    [
      { ...given, members: z.object({ detail: z.string() }) },
      'invalid_option: members.detail is a member of every problem',
    ],
    [
      { ...given, members: z.object({ buyer: z.string() }), example: { buyer: 7 } },
      'invalid_option: example does not fit members: buyer: Invalid input',
    ],
  ]
  for (const [options, mistake] of cases)
    it(`refuses ${mistake}`, () => {
      const found = mistakesOf(() => defineProblem(Object(options)))
      assert.equal(found.length, 1)
      assert.ok(found[0]?.startsWith(mistake.slice(0, 30)), found[0])
    })

  it('refuses two problems of one code that differ, also of a guard', () => {
    const Other = defineProblem({ code: 'banned', status: 410, title: 'Gone' })
    const serveBoth = (problems: readonly AnyProblem[], guards: readonly AnyGuard[]) =>
      mistakesOf(() =>
        createApp(
          defineModule({
            controllers: [
              defineController({
                prefix: '/car',
                guards,
                routes: [{ method: 'GET', problems, handler: () => 'done' }],
              }),
            ],
          }),
        ),
      )
    const mistake =
      'duplicate_problem: two problems have the code banned, and differ in their status or members'
    assert.deepEqual(serveBoth([Banned, Other], []), [mistake])
    assert.deepEqual(serveBoth([Other], [NotBanned]), [mistake])
    assert.deepEqual(serveBoth([Banned, Banned], [NotBanned]), [])
  })

  it('throws a mistake of the server for members that do not fit', () => {
    assert.throws(() => Reflect.apply(CarSold, undefined, ['Sold', { buyer: 7 }]), {
      name: 'TypeError',
      message: /^The members of the problem car_sold do not fit: buyer: /,
    })
  })

  it('asks for members that are required, by types', () => {
    // @ts-expect-error -- the buyer is missing
    assert.throws(() => CarSold('Sold'))
    // @ts-expect-error -- it has no members
    assert.equal(CarReserved('Reserved', { buyer: 'Ann' }).status, 409)
  })
})

describe('a declared response of errors with some codes', () => {
  const Refused = z.object({ code: z.enum(['sold', 'reserved']), detail: z.string().optional() })
  const own = createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'BuyController',
          prefix: '/buy',
          routes: [
            {
              method: 'POST',
              path: '/{how}',
              name: 'buy',
              response: { 200: z.string(), 409: Refused, 410: z.object({ gone: z.boolean() }) },
              handler: ({ params: { how } }) => {
                if (how === 'thrown') throw conflict('Ann has it', { code: 'sold' })
                if (how === 'other') throw conflict('Bob has it', { code: 'other' })
                if (how === 'gone') return reply(410, { gone: true })
                return reply(409, { code: 'reserved' as const })
              },
            },
          ],
        }),
      ],
    }),
    { logger: false, docs: {} },
  )

  it('has the media type of thrown errors, in documents and on the wire', async () => {
    for (const [how, code] of [
      ['thrown', 'sold'],
      ['replied', 'reserved'],
    ] as const) {
      const answer = await own.inject({ method: 'POST', url: `/buy/${how}` })
      assert.deepEqual(
        [answer.statusCode, answer.headers['content-type'], Object(answer.json()).code],
        [409, 'application/problem+json', code],
      )
    }
    const gone = await own.inject({ method: 'POST', url: '/buy/gone' })
    assert.equal(gone.headers['content-type'], 'application/json')
    await own.ready()
    const responses = own.openapi().paths['/buy/{how}']?.['post']?.responses ?? {}
    const typesOf = (status: number): readonly string[] => Object.keys(Object(responses[status]).content)
    assert.deepEqual(typesOf(409), ['application/problem+json'])
    assert.deepEqual(typesOf(410), ['application/json', 'application/problem+json'])
  })

  it('is a result of the client, thrown or returned, and other codes are not', async () => {
    const client = createClient<typeof own>({ fetch: own.fetch })
    for (const how of ['thrown', 'replied']) {
      const result = await client.buy.buy({ params: { how } })
      assert.equal(result.status, 409)
      assert.ok(result.status === 409 && ['sold', 'reserved'].includes(String(Object(result.data).code)))
    }
    await assert.rejects(client.buy.buy({ params: { how: 'other' } }), {
      name: 'ProblemError',
      code: 'other',
    })
  })
})

describe('the problems of credentials and sessions', () => {
  const own = createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'CartController',
          prefix: '/cart',
          guards: [bearerAuth({ verify: (token) => token === 'good' })],
          routes: [
            {
              method: 'GET',
              name: 'get',
              input: { inject: { session: Session } },
              handler: ({ inject: { session } }) => session.id,
            },
            { method: 'POST', name: 'add', handler: () => 'added' },
          ],
        }),
      ],
    }),
    { logger: false, docs: {}, session: { secret: 'a-secret-of-at-least-32-characters' } },
  )

  it('are in documents of the routes that have them, with their codes', async () => {
    await own.ready()
    const { paths, components } = own.openapi()
    const refs = (method: 'get' | 'post'): readonly string[] =>
      Object.values(paths['/cart']?.[method]?.responses ?? {}).flatMap((response) =>
        '$ref' in response ? [response.$ref.replace('#/components/responses/', '')] : [],
      )
    assert.deepEqual(refs('get').toSorted(), [
      'CredentialsRefused',
      'Forbidden',
      'InternalError',
      'Problem',
      'SessionConflict',
      'SessionUnavailable',
    ])
    assert.deepEqual(refs('post').toSorted(), ['CredentialsRefused', 'Forbidden', 'InternalError', 'Problem'])
    const codeOf = (name: string): unknown =>
      Object(components.responses?.[name]?.content?.['application/problem+json']?.schema).allOf[1].properties
        .code
    assert.deepEqual(codeOf('CredentialsRefused'), {
      type: 'string',
      enum: ['unauthenticated', 'invalid_credentials'],
    })
    assert.deepEqual(codeOf('SessionConflict'), { type: 'string', const: 'session_conflict' })
    assert.deepEqual(codeOf('SessionUnavailable'), { type: 'string', const: 'session_unavailable' })
  })

  it('are thrown by clients', async () => {
    for (const [authorization, code] of [
      [undefined, 'unauthenticated'],
      ['Bearer bad', 'invalid_credentials'],
    ] as const) {
      const headers = authorization === undefined ? {} : { authorization }
      const client = createClient<typeof own>({ fetch: own.fetch, headers })
      await assert.rejects(client.cart.add(), { name: 'ProblemError', status: 401, code })
    }
  })
})
