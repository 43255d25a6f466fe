import { array, integer, object, string } from '../support.ts'

/** Two whole documents in short: operations by method and path, and the findings that are expected, `level rule` each. */
export interface OperationPair {
  readonly reason: string
  readonly old: Short
  readonly now: Short
  readonly expected: readonly string[]
}

/** What differs from a plain document. */
export interface Short {
  /** Of the document; `1` if it is left out. */
  readonly version?: string
  readonly paths?: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly security?: readonly object[]
  readonly schemes?: Readonly<Record<string, object>>
  readonly webhooks?: Readonly<Record<string, object>>
}

const ok = { 200: { description: 'OK' } }
const get = (more: object = {}): Short => ({
  paths: { '/cars': { get: { operationId: 'car.list', responses: ok, ...more } } },
})
const at = (path: string, operation: object = {}): Short => ({
  paths: { [path]: { get: { responses: ok, ...operation } } },
})
const parameter = (more: object, schema: unknown = string): object => ({
  in: 'query',
  name: 'limit',
  schema,
  ...more,
})
const pathParameters = (...names: readonly string[]): object => ({
  parameters: names.map((name) => ({ in: 'path', name, required: true, schema: string })),
})
const withParameter = (more: object, schema?: unknown): Short =>
  get({ parameters: [parameter(more, schema)] })
const json = (schema: unknown): object => ({ 'application/json': { schema } })
const answers = (responses: object): Short => get({ responses })
const coded = (code: string, more: object = {}): object =>
  object({ code: { type: 'string', const: code }, ...more })
const problem = (...alternatives: readonly object[]): object => ({
  description: 'Sold',
  content: {
    'application/problem+json': {
      schema: alternatives.length === 1 ? alternatives[0] : { anyOf: alternatives },
    },
  },
})
const sold = (...codes: readonly string[]): object => ({
  ...ok,
  409: problem(...codes.map((code) => coded(code))),
})
const post = (requestBody?: object): Short => ({
  paths: { '/cars': { post: { responses: ok, ...(requestBody === undefined ? {} : { requestBody }) } } },
})
const header = (more: object): Short =>
  answers({ 200: { description: 'OK', headers: { 'X-Total': { schema: integer, ...more } } } })
const keys = { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, oauth: { type: 'oauth2', flows: {} } }
const row = (reason: string, old: Short, now: Short, ...expected: readonly string[]): OperationPair => ({
  reason,
  old,
  now,
  expected,
})

export const OPERATIONS: readonly OperationPair[] = [
  row(
    'a filter of another name',
    withParameter({ name: 'owner' }),
    withParameter({ name: 'owner_id' }),
    'breaking request-parameter-renamed',
  ),
  row(
    'filters of which one has another way of writing',
    get({ parameters: [parameter({ name: 'userId' }), parameter({ name: 'q' })] }),
    get({ parameters: [parameter({ name: 'user_id' }), parameter({ name: 'search' })] }),
    'breaking request-parameter-renamed',
    'warning request-parameter-removed',
    'info new-optional-request-parameter',
  ),
  row(
    'a filter less, and one of other values more',
    withParameter({ name: 'owner' }),
    withParameter({ name: 'page' }, integer),
    'warning request-parameter-removed',
    'info new-optional-request-parameter',
  ),
  row(
    'a parameter of the query that takes no null any more, which is not sent',
    withParameter({}, { type: ['integer', 'null'] }),
    withParameter({}, integer),
  ),
  row('a parameter that says that it is text', withParameter({}, {}), withParameter({}, string)),
  row(
    'a parameter that is a boolean, as two texts',
    withParameter({}, { type: 'boolean' }),
    withParameter({}, { enum: ['true', 'false'] }),
  ),
  row(
    'a parameter that is a number, as one of two texts',
    withParameter({}, { enum: [1, 2] }),
    withParameter({}, { enum: ['1', '2', '3'] }),
    'info request-parameter-type-generalized',
  ),
  row(
    'a parameter of a list of booleans, as texts',
    withParameter({}, array({ type: 'boolean' })),
    withParameter({}, array({ enum: ['true', 'false'] })),
  ),
  row(
    'a parameter that is any text, as a number',
    withParameter({}, string),
    withParameter({}, integer),
    'breaking request-parameter-type-changed',
  ),
  row(
    'a parameter in another media type',
    withParameter({ schema: undefined, content: json(string) }),
    withParameter({ schema: undefined, content: { 'text/plain': { schema: string } } }),
    'breaking request-parameter-serialization-changed',
  ),
  row(
    'a parameter of the path in the style of a matrix',
    at('/cars/{id}', { parameters: [{ in: 'path', name: 'id', required: true, schema: string }] }),
    at('/cars/{id}', {
      parameters: [{ in: 'path', name: 'id', required: true, schema: string, style: 'matrix' }],
    }),
    'breaking request-parameter-serialization-changed',
  ),
  row(
    'a status that became a range',
    answers({ 200: { description: 'OK' } }),
    answers({ '2XX': { description: 'OK' } }),
    'warning response-success-status-added',
  ),
  row(
    'an answer more for who has it already',
    answers({ 200: { description: 'OK' } }),
    answers({ 200: { description: 'OK' }, 304: { description: 'Not modified' } }),
    'info response-non-success-status-added',
  ),
  row(
    'an OAuth flow more',
    {
      ...get({ security: [{ oauth: [] }] }),
      schemes: { oauth: { type: 'oauth2', flows: { implicit: {} } } },
    },
    {
      ...get({ security: [{ oauth: [] }] }),
      schemes: { oauth: { type: 'oauth2', flows: { implicit: {}, clientCredentials: {} } } },
    },
    'info api-security-removed',
  ),
  row(
    'an OAuth flow less',
    {
      ...get({ security: [{ oauth: [] }] }),
      schemes: { oauth: { type: 'oauth2', flows: { implicit: {}, clientCredentials: {} } } },
    },
    {
      ...get({ security: [{ oauth: [] }] }),
      schemes: { oauth: { type: 'oauth2', flows: { implicit: {} } } },
    },
    'breaking api-security-added',
  ),
  row('a path with the name of a version', at('/packages/{version}'), at('/packages/{version}')),
  row(
    'a parameter more that is named version',
    at('/a'),
    at('/a/{version}'),
    'breaking new-request-path-parameter',
  ),
  row(
    'two paths of which one has a version, and an unrelated one more',
    { paths: { ...at('/packages/{name}').paths, ...at('/packages/{name}/{version}').paths } },
    {
      paths: {
        ...at('/packages/{name}').paths,
        ...at('/packages/{name}/{version}').paths,
        ...at('/ping').paths,
      },
    },
    'info endpoint-added',
  ),
  row(
    'paths that differ in the names of their parameters alone',
    {
      paths: {
        ...at('/cars/{id}', { summary: 'a' }).paths,
        ...at('/cars/{name}', { deprecated: true }).paths,
      },
    },
    {
      paths: {
        ...at('/cars/{name}', { deprecated: true }).paths,
        ...at('/cars/{id}', { summary: 'a' }).paths,
      },
    },
  ),
  row(
    'one of two such paths is gone, and requests still find the other',
    { paths: { ...at('/cars/{id}').paths, ...at('/cars/{name}').paths } },
    at('/cars/{name}'),
  ),
  row(
    'one of two versions is gone',
    { paths: { ...at('/v1/cars').paths, ...at('/v2/cars').paths } },
    at('/v2/cars'),
    'breaking api-removed-without-deprecation',
  ),
  row(
    'a body of which nothing more is said has one difference',
    answers({ 200: { description: 'OK', content: json({ type: ['string', 'null'], format: 'date-time' }) } }),
    answers({ 200: { description: 'OK', content: json({}) } }),
    'breaking response-body-type-generalized',
  ),
  row(
    'a body of which nothing was said has one difference',
    post({ required: true, content: json({}) }),
    post({ required: true, content: json(object({ id: string }, { additionalProperties: false })) }),
    'breaking request-body-type-changed',
  ),
  row(
    'paths of two versions, and one without',
    { version: '1', paths: { ...at('/v1/cars').paths, ...at('/health').paths } },
    { version: '2', paths: { ...at('/v2/cars').paths, ...at('/health').paths } },
  ),
  row(
    'headers of a webhook',
    {
      webhooks: {
        moved: {
          post: {
            parameters: [{ in: 'header', name: 'X-Id', required: true, schema: string }],
            responses: ok,
          },
        },
      },
    },
    {
      webhooks: {
        moved: {
          post: {
            parameters: [{ in: 'header', name: 'X-New', required: true, schema: string }],
            responses: ok,
          },
        },
      },
    },
    'breaking required-response-header-removed',
    'info response-header-added',
  ),
  row('an operation is the same', get(), get()),
  row('an operation more', get(), { paths: { ...get().paths, ...at('/vans').paths } }, 'info endpoint-added'),
  row(
    'a path less',
    { paths: { ...get().paths, ...at('/vans').paths } },
    get(),
    'breaking api-path-removed-without-deprecation',
  ),
  row(
    'a method less',
    { paths: { '/cars': { get: { responses: ok }, delete: { responses: ok } } } },
    at('/cars'),
    'breaking api-removed-without-deprecation',
  ),
  row(
    'a deprecated path less',
    at('/cars', { deprecated: true }),
    {},
    'info api-path-removed-with-deprecation',
  ),
  row(
    'a path less after its sunset',
    at('/cars', { deprecated: true, 'x-sunset': '2026-01-01' }),
    {},
    'info api-path-removed-with-deprecation',
  ),
  row(
    'a path less before its sunset',
    at('/cars', { deprecated: true, 'x-sunset': '2026-12-01' }),
    {},
    'breaking api-path-removed-before-sunset',
  ),
  row(
    'a method less before its sunset',
    {
      paths: {
        '/cars': {
          get: { responses: ok, deprecated: true, 'x-sunset': '2026-12-01' },
          delete: { responses: ok },
        },
      },
    },
    { paths: { '/cars': { delete: { responses: ok } } } },
    'breaking api-removed-before-sunset',
  ),
  row(
    'a deprecated method less',
    { paths: { '/cars': { get: { responses: ok, deprecated: true }, delete: { responses: ok } } } },
    { paths: { '/cars': { delete: { responses: ok } } } },
    'info api-removed-with-deprecation',
  ),
  row(
    'a path parameter that is said to have a character',
    at('/cars/{id}', {
      parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string', maxLength: 9 } }],
    }),
    at('/cars/{id}', {
      parameters: [
        { in: 'path', name: 'id', required: true, schema: { type: 'string', minLength: 1, maxLength: 9 } },
      ],
    }),
  ),
  row(
    'another name of a path parameter',
    at('/cars/{id}', { parameters: [{ in: 'path', name: 'id', required: true, schema: integer }] }),
    at('/cars/{car_id}', { parameters: [{ in: 'path', name: 'car_id', required: true, schema: integer }] }),
  ),
  row('the version in all paths', at('/v1/cars'), at('/v2/cars')),
  row(
    'another path of a route',
    at('/cars', { operationId: 'car.list' }),
    at('/vans', { operationId: 'car.list' }),
    'breaking route-moved',
  ),
  row(
    'one more parameter in the path',
    at('/cars/{id}', { operationId: 'car.get', ...pathParameters('id') }),
    at('/shops/{shop}/cars/{id}', { operationId: 'car.get', ...pathParameters('shop', 'id') }),
    'breaking new-request-path-parameter',
  ),
  row(
    'a parameter before the others of the path',
    at('/cars/{id}', { operationId: 'car.get', ...pathParameters('id') }),
    at('/{shop}/cars/{id}', { operationId: 'car.get', ...pathParameters('shop', 'id') }),
    'breaking new-request-path-parameter',
  ),
  row(
    'one more parameter in the path, without a name',
    at('/cars'),
    at('/cars/{id}'),
    'breaking new-request-path-parameter',
  ),
  row(
    'an operation after the sunset of one with fewer parameters',
    at('/cars', { deprecated: true, 'x-sunset': '2026-01-01' }),
    at('/cars/{id}'),
    'info api-path-removed-with-deprecation',
    'info endpoint-added',
  ),
  row(
    'one parameter less in the path',
    at('/{shop}/cars', { operationId: 'car.list', ...pathParameters('shop') }),
    at('/cars', { operationId: 'car.list' }),
    'breaking route-moved',
    'warning request-parameter-removed',
  ),
  row('another name of a route', get(), get({ operationId: 'car.all' }), 'warning operation-id-changed'),
  row('another name of a tool', get({ 'x-tool': 'list' }), get({ 'x-tool': 'all' }), 'breaking tool-removed'),
  row('no tool any more', get({ 'x-tool': 'list' }), get(), 'breaking tool-removed'),
  row('a new tool', get(), get({ 'x-tool': 'list' })),
  row(
    'another description of a tool',
    get({ 'x-tool': 'list', summary: 'Cars' }),
    get({ 'x-tool': 'list', summary: 'All cars' }),
    'warning tool-description-changed',
  ),
  row(
    'another description of an operation that is no tool',
    get({ summary: 'Cars' }),
    get({ summary: 'All' }),
  ),
  row(
    'a segment of the path became a parameter',
    at('/cars/new'),
    at('/cars/{id}'),
    'breaking api-path-removed-without-deprecation',
    'info endpoint-added',
  ),
  row(
    'deprecated with a sunset',
    get(),
    get({ deprecated: true, 'x-sunset': '2027-01-01' }),
    'info endpoint-deprecated',
  ),
  row(
    'deprecated without a sunset',
    get(),
    get({ deprecated: true }),
    'info endpoint-deprecated',
    'warning deprecated-without-sunset',
  ),
  row('no longer deprecated', get({ deprecated: true }), get(), 'info deprecated-reactivated'),
  row(
    'deprecated with a sunset that is over',
    get(),
    get({ deprecated: true, 'x-sunset': '2026-01-01' }),
    'info endpoint-deprecated',
    'warning sunset-date-in-the-past',
  ),
  row(
    'an earlier sunset',
    get({ deprecated: true, 'x-sunset': '2027-02-01' }),
    get({ deprecated: true, 'x-sunset': '2027-01-01' }),
    'breaking sunset-date-moved-earlier',
  ),
  row(
    'a later sunset',
    get({ deprecated: true, 'x-sunset': '2027-02-01' }),
    get({ deprecated: true, 'x-sunset': '2027-03-01' }),
  ),
  row(
    'no sunset any more',
    get({ deprecated: true, 'x-sunset': '2027-02-01' }),
    get({ deprecated: true }),
    'breaking sunset-deleted',
  ),
  row('less stable', get(), get({ 'x-stability-level': 'beta' }), 'breaking api-stability-decreased'),
  row(
    'a preview may change',
    get({ 'x-stability-level': 'beta', parameters: [parameter({ required: true })] }),
    get({ 'x-stability-level': 'beta', parameters: [parameter({ required: true }, integer)] }),
    'info request-parameter-type-changed',
  ),
  row(
    'summaries, tags and extensions',
    get({ summary: 'Cars', tags: ['a'] }),
    get({ summary: 'All cars', 'x-note': 1 }),
  ),

  row(
    'a required parameter more',
    get(),
    withParameter({ required: true }),
    'breaking new-required-request-parameter',
  ),
  row('an optional parameter more', get(), withParameter({}), 'info new-optional-request-parameter'),
  row('a parameter less', withParameter({}), get(), 'warning request-parameter-removed'),
  row(
    'a deprecated parameter less',
    withParameter({ deprecated: true }),
    get(),
    'info request-parameter-removed-with-deprecation',
  ),
  row(
    'a parameter less before its sunset',
    withParameter({ deprecated: true, 'x-sunset': '2026-12-24' }),
    get(),
    'breaking request-parameter-removed-before-sunset',
  ),
  row(
    'a parameter became required',
    withParameter({}),
    withParameter({ required: true }),
    'breaking request-parameter-became-required',
  ),
  row(
    'a parameter became optional',
    withParameter({ required: true }),
    withParameter({}),
    'info request-parameter-became-optional',
  ),
  row(
    'a parameter is deprecated',
    withParameter({}),
    withParameter({ deprecated: true }),
    'info request-parameter-deprecated',
  ),
  row(
    'a parameter is no longer deprecated',
    withParameter({ deprecated: true }),
    withParameter({}),
    'info request-parameter-reactivated',
  ),
  row(
    'a parameter moved',
    withParameter({}),
    withParameter({ in: 'header' }),
    'breaking request-parameter-location-changed',
  ),
  row(
    'headers have no case',
    withParameter({ in: 'header', name: 'X-Limit' }),
    withParameter({ in: 'header', name: 'x-limit' }),
  ),
  row(
    'parameters of the path item',
    { paths: { '/cars': { parameters: [parameter({})], get: { responses: ok } } } },
    { paths: { '/cars': { get: { parameters: [parameter({})], responses: ok } } } },
  ),
  row(
    'text where numbers were taken',
    withParameter({}, integer),
    withParameter({}, string),
    'info request-parameter-type-generalized',
  ),
  row(
    'numbers where text was taken',
    withParameter({}, string),
    withParameter({}, integer),
    'breaking request-parameter-type-changed',
  ),
  row(
    'another default',
    withParameter({}, { type: 'integer', default: 10 }),
    withParameter({}, { type: 'integer', default: 20 }),
    'breaking request-parameter-default-value-changed',
  ),
  row(
    'no default',
    withParameter({}, { type: 'integer', default: 10 }),
    withParameter({}, integer),
    'breaking request-parameter-default-value-removed',
  ),
  row(
    'a default',
    withParameter({}, integer),
    withParameter({}, { type: 'integer', default: 10 }),
    'breaking request-parameter-default-value-added',
  ),
  row(
    'a list in another style',
    withParameter({}, array(string)),
    withParameter({ explode: false }, array(string)),
    'breaking request-parameter-serialization-changed',
  ),
  row(
    'the style of a list, written out',
    withParameter({}, array(string)),
    withParameter({ style: 'form', explode: true }, array(string)),
  ),
  row(
    'the style of a text is no matter',
    withParameter({}, string),
    withParameter({ explode: false }, string),
  ),
  row(
    'a lower maximum of a parameter',
    withParameter({}, { type: 'integer', maximum: 100 }),
    withParameter({}, { type: 'integer', maximum: 50 }),
    'breaking request-parameter-max-decreased',
  ),

  row(
    'a required body more',
    post(),
    post({ required: true, content: json(string) }),
    'breaking request-body-added-required',
  ),
  row('an optional body more', post(), post({ content: json(string) }), 'info request-body-added-optional'),
  row('a body less', post({ content: json(string) }), post(), 'warning request-body-removed'),
  row(
    'a body became required',
    post({ content: json(string) }),
    post({ required: true, content: json(string) }),
    'breaking request-body-became-required',
  ),
  row(
    'a body became optional',
    post({ required: true, content: json(string) }),
    post({ content: json(string) }),
    'info request-body-became-optional',
  ),
  row(
    'a media type less',
    post({ content: { ...json(string), 'text/plain': {} } }),
    post({ content: json(string) }),
    'breaking request-body-media-type-removed',
  ),
  row(
    'a media type more',
    post({ content: json(string) }),
    post({ content: { ...json(string), 'text/plain': {} } }),
    'info request-body-media-type-added',
  ),
  row(
    'a media type in a range',
    post({ content: { 'image/png': {} } }),
    post({ content: { 'image/*': {} } }),
  ),
  row(
    'the charset of a media type',
    post({ content: { 'application/json': { schema: string } } }),
    post({ content: { 'application/json; charset=utf-8': { schema: string } } }),
  ),
  row(
    'another encoding of a part',
    post({ content: { 'multipart/form-data': { schema: object({ a: string }) } } }),
    post({
      content: {
        'multipart/form-data': {
          schema: object({ a: string }),
          encoding: { a: { contentType: 'text/csv' } },
        },
      },
    }),
    'warning request-body-encoding-changed',
  ),
  row(
    'a part more, with an encoding',
    post({ content: { 'multipart/form-data': { schema: object({ a: string }) } } }),
    post({
      content: {
        'multipart/form-data': {
          schema: { ...object({ a: string }), properties: { a: string, b: string } },
          encoding: { b: { contentType: 'text/csv' } },
        },
      },
    }),
    'info new-optional-request-property',
  ),

  row(
    'a status of success more',
    answers(ok),
    answers({ ...ok, 202: { description: 'Later' } }),
    'warning response-success-status-added',
  ),
  row(
    'a status of success less',
    answers({ ...ok, 202: { description: 'Later' } }),
    answers(ok),
    'breaking response-success-status-removed',
  ),
  row(
    'another status of success',
    answers(ok),
    answers({ 201: { description: 'Made' } }),
    'breaking status-of-default-changed',
  ),
  row(
    'a status of failure more',
    answers(ok),
    answers({ ...ok, 404: { description: 'None' } }),
    'info response-non-success-status-added',
  ),
  row(
    'a status of failure less',
    answers({ ...ok, 404: { description: 'None' } }),
    answers(ok),
    'info response-non-success-status-removed',
  ),
  row(
    'a problem more',
    answers(sold('car_sold')),
    answers(sold('car_sold', 'car_lent')),
    'warning response-problem-added',
  ),
  row('the first problem', answers(ok), answers(sold('car_sold')), 'info response-problem-added'),
  row(
    'a problem less',
    answers(sold('car_sold', 'car_lent')),
    answers(sold('car_sold')),
    'info response-problem-removed',
  ),
  row(
    'a member of a problem less',
    answers({ ...ok, 409: problem(coded('car_lent'), coded('car_sold', { buyer: string })) }),
    answers({ ...ok, 409: problem(coded('car_lent'), coded('car_sold')) }),
    'breaking response-required-property-removed',
  ),
  row(
    'a problem beside any other',
    answers({ ...ok, 409: problem(coded('car_sold')) }),
    answers({ ...ok, 409: problem(coded('car_sold'), object({ code: string })) }),
  ),
  row(
    'a problem with another status',
    answers(sold('car_sold')),
    answers({ ...ok, 410: problem(coded('car_sold')) }),
    'breaking response-problem-status-changed',
  ),
  row(
    'a status in a range',
    answers({ ...ok, 404: { description: 'None' } }),
    answers({ ...ok, '4XX': { description: 'Wrong' } }),
  ),
  row(
    'a body of a failure',
    answers({ ...ok, 404: { description: 'None', content: json(object({ a: string })) } }),
    answers({ ...ok, 404: { description: 'None', content: json(object({ a: integer })) } }),
    'warning response-property-type-changed',
  ),
  row(
    'a media type of a response less',
    answers({ 200: { description: 'OK', content: { ...json(string), 'text/csv': {} } } }),
    answers({ 200: { description: 'OK', content: json(string) } }),
    'breaking response-media-type-removed',
  ),
  row(
    'a media type of a response more',
    answers({ 200: { description: 'OK', content: json(string) } }),
    answers({ 200: { description: 'OK', content: { ...json(string), 'text/csv': {} } } }),
    'info response-media-type-added',
  ),
  row(
    'items of a stream',
    answers({
      200: { description: 'OK', content: { 'application/jsonl': { itemSchema: object({ a: string }) } } },
    }),
    answers({
      200: { description: 'OK', content: { 'application/jsonl': { itemSchema: object({ b: string }) } } },
    }),
    'breaking response-required-property-removed',
    'info response-required-property-added',
  ),
  row(
    'a required header less',
    header({ required: true }),
    answers(ok),
    'breaking required-response-header-removed',
  ),
  row('an optional header less', header({}), answers(ok), 'warning optional-response-header-removed'),
  row('a header more', answers(ok), header({}), 'info response-header-added'),
  row(
    'a header became optional',
    header({ required: true }),
    header({}),
    'breaking response-header-became-optional',
  ),
  row(
    'a header became required',
    header({}),
    header({ required: true }),
    'info response-header-became-required',
  ),
  row(
    'another type of a header',
    header({}),
    header({ schema: string }),
    'breaking response-header-type-changed',
  ),

  row(
    'credentials are asked for',
    get(),
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    'breaking api-security-added',
  ),
  row(
    'credentials are no longer asked for',
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    { ...get(), schemes: keys },
    'info api-security-removed',
  ),
  row(
    'another way to be known',
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    { ...get({ security: [{ key: [] }, { oauth: [] }] }), schemes: keys },
    'info api-security-removed',
  ),
  row(
    'one way less',
    { ...get({ security: [{ key: [] }, { oauth: [] }] }), schemes: keys },
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    'breaking api-security-added',
  ),
  row(
    'one more scope',
    { ...get({ security: [{ oauth: ['read'] }] }), schemes: keys },
    { ...get({ security: [{ oauth: ['read', 'write'] }] }), schemes: keys },
    'breaking api-security-scope-added',
  ),
  row(
    'one scope less',
    { ...get({ security: [{ oauth: ['read', 'write'] }] }), schemes: keys },
    { ...get({ security: [{ oauth: ['read'] }] }), schemes: keys },
    'info api-security-removed',
  ),
  row(
    'another name of a scheme',
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    { ...get({ security: [{ mine: [] }] }), schemes: { mine: keys.key } },
  ),
  row(
    'another header for the key',
    { ...get({ security: [{ key: [] }] }), schemes: keys },
    { ...get({ security: [{ key: [] }] }), schemes: { key: { ...keys.key, name: 'X-Other' } } },
    'breaking api-security-added',
  ),
  row(
    'security of the document or of the operation',
    { ...get(), security: [{ key: [] }], schemes: keys },
    { ...get({ security: [{ key: [] }] }), schemes: keys },
  ),

  row('a webhook less', { webhooks: { made: { post: { responses: ok } } } }, {}, 'breaking webhook-removed'),
  row('a webhook more', {}, { webhooks: { made: { post: { responses: ok } } } }, 'info webhook-added'),
  row(
    'what a webhook sends is read',
    {
      webhooks: {
        made: { post: { requestBody: { content: json(object({ a: string, b: string })) }, responses: ok } },
      },
    },
    {
      webhooks: { made: { post: { requestBody: { content: json(object({ a: string })) }, responses: ok } } },
    },
    'breaking response-required-property-removed',
  ),
  row(
    'what a webhook sends may have more',
    {
      webhooks: { made: { post: { requestBody: { content: json(object({ a: string })) }, responses: ok } } },
    },
    {
      webhooks: {
        made: { post: { requestBody: { content: json(object({ a: string, b: string })) }, responses: ok } },
      },
    },
    'info response-required-property-added',
  ),
  row(
    'what a webhook is answered is written by clients',
    {
      webhooks: {
        made: {
          post: { responses: { 200: { description: 'OK', content: json(object({ 'a?': string })) } } },
        },
      },
    },
    {
      webhooks: {
        made: { post: { responses: { 200: { description: 'OK', content: json(object({ a: string })) } } } },
      },
    },
    'breaking request-property-became-required',
  ),
  row(
    'a callback whose address is found in another place',
    get({ callbacks: { done: { '{$request.body#/url}': { post: { responses: ok } } } } }),
    get({ callbacks: { done: { '{$request.body#/address}': { post: { responses: ok } } } } }),
    'breaking callback-expression-changed',
  ),
  row(
    'callbacks of two addresses, in another order',
    get({
      callbacks: {
        done: {
          '{$url}': { post: { responses: ok } },
          '{$other}': { post: post(json(string)).paths?.['/cars']?.['post'] ?? {} },
        },
      },
    }),
    get({
      callbacks: {
        done: {
          '{$other}': { post: post(json(string)).paths?.['/cars']?.['post'] ?? {} },
          '{$url}': { post: { responses: ok } },
        },
      },
    }),
  ),
  row(
    'a callback less',
    get({ callbacks: { done: { '{$request.body#/url}': { post: { responses: ok } } } } }),
    get(),
    'breaking callback-removed',
  ),
  row(
    'another encoding of a part of a response',
    answers({
      200: { description: 'OK', content: { 'multipart/mixed': { schema: object({ a: string }) } } },
    }),
    answers({
      200: {
        description: 'OK',
        content: {
          'multipart/mixed': { schema: object({ a: string }), encoding: { a: { contentType: 'text/csv' } } },
        },
      },
    }),
    'warning response-body-encoding-changed',
  ),
  row(
    'a parameter of the path that was not described',
    at('/cars/{id}'),
    at('/cars/{id}', { parameters: [{ in: 'path', name: 'id', required: true, schema: integer }] }),
  ),
  row(
    'a range of statuses that became one',
    answers({ '2XX': { description: 'OK', content: { '*/*': {} } } }),
    answers({ 200: { description: 'OK', content: json(string) } }),
    'info response-body-type-specialized',
  ),
  row(
    'one path of each version, and one without',
    { paths: { ...at('/v1/cars').paths, ...at('/ping').paths } },
    { version: '2', paths: { ...at('/v2/cars').paths, ...at('/ping').paths } },
  ),
  row(
    'a response behind a reference that leads nowhere',
    answers({ 200: { description: 'OK' }, 404: { description: 'None', content: json(string) } }),
    answers({ 200: { description: 'OK' }, 404: { $ref: '#/components/responses/Gone' } }),
    'warning reference-unresolved',
  ),
  row(
    'a body behind a reference that leads nowhere',
    post({ $ref: '#/components/requestBodies/Gone' }),
    post({ content: json(string), required: true }),
    'warning reference-unresolved',
  ),
  row('the parameter that asks for the version', withParameter({}, { enum: ['1'] }), {
    version: '2',
    ...withParameter({ required: true }, { enum: ['2'] }),
  }),
  row(
    'the media type of a version',
    answers({ 200: { description: 'OK', content: { 'application/vnd.cars.v1+json': {} } } }),
    {
      version: '2',
      ...answers({ 200: { description: 'OK', content: { 'application/vnd.cars.v2+json': {} } } }),
    },
  ),
]
