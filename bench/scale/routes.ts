/** A route of the benchmark. */
export interface ScaleRoute {
  readonly method: string
  /** The pattern, with `{name}` for parameters. */
  readonly path: string
}

/** A request that is looked up, and the route that is to answer. */
export interface ScaleRequest {
  readonly method: string
  readonly target: string
  /** The place of its route in the list of routes. */
  readonly route: number
}

/** Requests looked up at every size, no two alike. */
export const REQUESTS = 1000

const WORDS =
  `account address article asset audit batch booking branch budget campaign card cart category channel charge city claim client
  comment company contact contract country coupon course customer delivery device discount document driver employee event
  exchange export feature feedback file flight folder garage grant group guest hotel image import incident invoice issue item
  job journal label ledger license list location machine manager member menu message meter model note offer order owner page
  parcel part partner passenger payment payout permit person plan policy product profile project quote rate receipt refund region
  report request reservation review role room route rule sale schedule seat segment service session shift site station stock
  store student supplier survey tariff task tax team tenant ticket token topic tour trade transfer trip unit user vehicle vendor
  visit voucher wallet warehouse webhook wish zone`.split(/\s+/)

/** What one resource of an interface has: itself, what belongs to it, and what is done with it. */
const WHOLE = toShapes([
  ['', 'GET POST'],
  ['/search', 'GET'],
  ['/export', 'GET'],
  ['/{id}', 'GET PUT PATCH DELETE'],
  ['/{id}/archive', 'POST'],
  ['/{id}/history', 'GET'],
  ['/{id}/history/{entry}', 'GET'],
  ['/{id}/comments', 'GET POST'],
  ['/{id}/comments/{comment}', 'GET PUT DELETE'],
  ['/{id}/members', 'GET'],
  ['/{id}/members/{member}', 'GET PUT DELETE'],
])

/** The least a resource has: for the same number of routes there are four times as many resources. */
const SMALL = toShapes([
  ['', 'GET POST'],
  ['/{id}', 'GET'],
  ['/{id}/history', 'GET'],
  ['/{id}/history/{entry}', 'GET'],
])

/** What the resources have, by the size of them. */
const SHAPES = { whole: WHOLE, small: SMALL }

/** How many routes a resource has. */
export type Size = keyof typeof SHAPES

const VALUES = 'octocat hello-world 1347 6dcb09b5b57875f334f61aebed695e2e4193db5e jane.doe 42 v2.0.1'.split(
  ' ',
)

/**
 * Routes as a large interface has them, `/orders/parcel-labels/{id}/history/{entry}`: areas, about as many resources in each as there
 * are areas, and in each resource the same routes. Of 100,000 routes, 71 areas have 5,000 resources with 20 routes each, or 142 areas
 * 20,000 resources with five.
 */
export function toRoutes(count: number, size: Size): readonly ScaleRoute[] {
  const shapes = SHAPES[size]
  const resources = Math.ceil(count / shapes.length)
  const areas = Math.ceil(Math.sqrt(resources))
  return Array.from({ length: count }, (_, index) => {
    const resource = Math.floor(index / shapes.length)
    const { method, path } = shapes[index % shapes.length] ?? NO_SHAPE
    const area = resource % areas
    const prefix = `/${wordsAt(area)}/${wordsAt(area * 31 + Math.floor(resource / areas))}`
    return { method, path: `${prefix}${path}` }
  })
}

/**
 * Requests for `asked` of the routes, from everywhere in the list and of all shapes, in an order without a pattern, the same one in every
 * run.
 */
export function toRequests(count: number, size: Size, asked: number): readonly ScaleRequest[] {
  const routes = toRoutes(count, size)
  return Array.from({ length: REQUESTS }, (_, index) => {
    // 7919 has no divisor in common with the number of requests: every place is taken once
    const place = ((index * 7919) % REQUESTS) % Math.min(asked, count)
    const route = asked < count ? pick(place, asked, { count, shapes: SHAPES[size].length }) : place
    const { method, path } = routes[route] ?? NO_SHAPE
    let next = index
    const value = (): string => `${VALUES[(next += 3) % VALUES.length] ?? ''}-${index}`
    return { method, target: path.replaceAll(/\{\w+\}/g, value), route }
  })
}

/** The route at a place of so many that are asked: one of each resource, or, where resources are few, more of each. */
function pick(place: number, asked: number, { count, shapes }: { count: number; shapes: number }): number {
  const resources = count / shapes
  const resource = resources < asked ? place % resources : Math.floor((place * resources) / asked)
  const shape = resources < asked ? resource + Math.floor(place / resources) : place
  return resource * shapes + (shape % shapes)
}

const NO_SHAPE: ScaleRoute = { method: 'GET', path: '' }

function toShapes(rows: readonly (readonly [path: string, methods: string])[]): readonly ScaleRoute[] {
  return rows.flatMap(([path, methods]) => methods.split(' ').map((method) => ({ method, path })))
}

/** A word, or two: as many different ones as anybody asks for here. */
function wordsAt(index: number): string {
  const word = WORDS[index % WORDS.length] ?? ''
  const second = Math.floor(index / WORDS.length) % WORDS.length
  return second === 0 ? `${word}s` : `${word}-${WORDS[second]}s`
}
