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

/** What one resource has. */
const SHAPES: readonly ScaleRoute[] = [
  { method: 'GET', path: '' },
  { method: 'POST', path: '' },
  { method: 'GET', path: '/{id}' },
  { method: 'GET', path: '/{id}/history' },
  { method: 'GET', path: '/{id}/history/{entry}' },
]

const VALUES = 'octocat hello-world 1347 6dcb09b5b57875f334f61aebed695e2e4193db5e jane.doe 42 v2.0.1'.split(
  ' ',
)

/** Routes as a large interface has them: areas, resources in them, five routes for each resource. */
export function toRoutes(count: number): readonly ScaleRoute[] {
  const resources = Math.ceil(count / SHAPES.length)
  const areas = Math.ceil(Math.sqrt(resources))
  return Array.from({ length: count }, (_, index) => {
    const resource = Math.floor(index / SHAPES.length)
    const { method, path } = shapeOf(index)
    const area = resource % areas
    const prefix = `/${wordsAt(area)}/${wordsAt(area * 31 + Math.floor(resource / areas))}`
    return { method, path: `${prefix}${path}` }
  })
}

/**
 * Requests for `asked` of the routes, from everywhere in the list and of all shapes, in an order without a pattern, the same one in every
 * run.
 */
export function toRequests(routes: readonly ScaleRoute[], asked: number): readonly ScaleRequest[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    // 7919 has no divisor in common with the number of requests: every place is taken once
    const place = ((index * 7919) % REQUESTS) % Math.min(asked, routes.length)
    const route = pick(place, Math.min(asked, routes.length), routes.length / SHAPES.length)
    const { method, path } = routes[route] ?? shapeOf(0)
    let next = index
    const value = (): string => `${VALUES[(next += 3) % VALUES.length] ?? ''}-${index}`
    return { method, target: path.replaceAll(/\{\w+\}/g, value), route }
  })
}

/** The route at a place of so many that are asked: one of each resource, or, where resources are few, more of each. */
function pick(place: number, asked: number, resources: number): number {
  const resource = resources < asked ? place % resources : Math.floor((place * resources) / asked)
  const shape = resources < asked ? place + Math.floor(place / resources) : place
  return resource * SHAPES.length + (shape % SHAPES.length)
}

function shapeOf(index: number): ScaleRoute {
  return SHAPES[index % SHAPES.length] ?? { method: 'GET', path: '' }
}

/** A word, or two: as many different ones as anybody asks for here. */
function wordsAt(index: number): string {
  const word = WORDS[index % WORDS.length] ?? ''
  const second = Math.floor(index / WORDS.length) % WORDS.length
  return second === 0 ? `${word}s` : `${word}-${WORDS[second]}s`
}
