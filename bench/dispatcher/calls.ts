/** A request that undici makes. */
export interface UndiciCall {
  readonly path: string
  /** The JSON of a POST. */
  readonly body?: string
}

export const CALLS: Readonly<Record<string, UndiciCall>> = {
  'GET with a parameter': { path: '/cars/7' },
  'GET a list of 50': { path: '/cars' },
  'POST that is validated': { path: '/cars', body: JSON.stringify({ name: 'Ford', year: 1990 }) },
}
