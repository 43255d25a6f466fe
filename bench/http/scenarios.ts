/** What is sent, and what has to come back. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly status: number
  /** The body of the answer; absent where every framework has its own shape. */
  readonly answer?: unknown
  /** Whether it counts for the geometric mean. */
  readonly counts?: boolean
}

export const TOKEN = 'Bearer a-token-for-benchmarks'

const CAR = { name: 'Ford Fiesta', price: 12_500.5, year: 2019, condition: 'used', tags: ['small', 'blue'] }

/** A hundred cars, about 10 kB as JSON. */
export const CATALOGUE = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  name: `The car number ${index + 1}`,
  price: 9_999.5 + index * 10,
  isElectric: index % 3 === 0,
  tags: ['family', 'town'],
}))

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'static',
    title: 'GET, static JSON',
    method: 'GET',
    path: '/hello',
    status: 200,
    answer: { hello: 'world' },
    counts: true,
  },
  {
    name: 'param',
    title: 'GET, integer in the path',
    method: 'GET',
    path: '/cars/7',
    status: 200,
    answer: { id: 7, name: 'Car 7' },
    counts: true,
  },
  {
    name: 'query',
    title: 'GET, validated query',
    method: 'GET',
    path: '/cars?limit=20&search=red%20car',
    status: 200,
    answer: { page: 1, limit: 20, search: 'red car' },
    counts: true,
  },
  {
    name: 'body',
    title: 'POST, validated body',
    method: 'POST',
    path: '/cars',
    body: CAR,
    status: 201,
    answer: { id: 1, ...CAR, isElectric: false },
    counts: true,
  },
  {
    name: 'version',
    title: 'GET, version 2 by header',
    method: 'GET',
    path: '/garage',
    headers: { 'x-api-version': '2' },
    status: 200,
    answer: { version: 2, doors: ['left', 'right'] },
  },
  {
    name: 'large',
    title: 'GET, 10 kB of JSON',
    method: 'GET',
    path: '/catalogue',
    status: 200,
    answer: CATALOGUE,
  },
  {
    name: 'guarded',
    title: 'GET, guarded',
    method: 'GET',
    path: '/private',
    headers: { authorization: TOKEN },
    status: 200,
    answer: { user: 'Ann' },
  },
  { name: 'missing', title: '404', method: 'GET', path: '/nothing/here', status: 404 },
  {
    name: 'invalid',
    title: '422',
    method: 'POST',
    path: '/cars',
    body: { ...CAR, price: 'cheap', condition: 'broken' },
    status: 422,
  },
]

/** What has to be refused, each by one of some statuses, and what has to be dropped: nobody may save the work. */
export const TRIALS: readonly (Omit<Scenario, 'name' | 'status'> & { readonly status: readonly number[] })[] =
  [
    {
      title: 'version 1',
      method: 'GET',
      path: '/garage',
      headers: { 'x-api-version': '1' },
      status: [200],
      answer: { version: 1 },
    },
    {
      title: 'a version that is not there',
      method: 'GET',
      path: '/garage',
      headers: { 'x-api-version': '9' },
      status: [400, 404, 406],
    },
    { title: 'no integer in the path', method: 'GET', path: '/cars/seven', status: [404, 422] },
    { title: 'a broken number in the path', method: 'GET', path: '/cars/7.5', status: [404, 422] },
    { title: 'a limit that is too large', method: 'GET', path: '/cars?limit=101', status: [422] },
    { title: 'a limit that is no number', method: 'GET', path: '/cars?limit=many', status: [422] },
    { title: 'no limit', method: 'GET', path: '/cars', status: [422] },
    {
      title: 'a page that is sent',
      method: 'GET',
      path: '/cars?limit=1&page=3',
      status: [200],
      answer: { page: 3, limit: 1 },
    },
    { title: 'no name', method: 'POST', path: '/cars', body: { ...CAR, name: undefined }, status: [422] },
    { title: 'an empty name', method: 'POST', path: '/cars', body: { ...CAR, name: '' }, status: [422] },
    { title: 'a negative price', method: 'POST', path: '/cars', body: { ...CAR, price: -1 }, status: [422] },
    {
      title: 'a year that is no integer',
      method: 'POST',
      path: '/cars',
      body: { ...CAR, year: 2019.5 },
      status: [422],
    },
    {
      title: 'an empty tag',
      method: 'POST',
      path: '/cars',
      body: { ...CAR, tags: ['small', ''] },
      status: [422],
    },
    {
      title: 'too many tags',
      method: 'POST',
      path: '/cars',
      body: { ...CAR, tags: Array(11).fill('a') },
      status: [422],
    },
    {
      title: 'a member that is not declared',
      method: 'POST',
      path: '/cars',
      body: { ...CAR, isElectric: true, secret: 1 },
      status: [201],
      answer: { id: 1, ...CAR, isElectric: true },
    },
    { title: 'no token', method: 'GET', path: '/private', status: [401] },
    {
      title: 'a wrong token',
      method: 'GET',
      path: '/private',
      headers: { authorization: 'Bearer stolen' },
      status: [401],
    },
  ]
