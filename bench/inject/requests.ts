import { z } from 'zod'

/** A call of the benchmark, as every contestant is given it. */
export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly json?: object
}

/** What came back, read as a test would read it. */
export interface Answer {
  readonly status: number
  readonly json: unknown
}

export const CALLS: Readonly<Record<string, Call>> = {
  'GET static': { method: 'GET', url: '/cars/welcome' },
  'GET with a parameter': { method: 'GET', url: '/cars/1347' },
  'GET with a validated query': { method: 'GET', url: '/cars?limit=20&offset=40&sort=year' },
  'POST with a validated JSON body': {
    method: 'POST',
    url: '/cars',
    json: { name: 'Ford', year: 2026, model: 'Focus', tags: ['blue', 'new'] },
  },
}

export const WELCOME = { detail: 'Welcome to Cars' }
export const SORTS = ['name', 'year'] as const

export const Car = z.object({
  name: z.string().min(1),
  year: z.number().int().positive(),
  model: z.string(),
  tags: z.array(z.string()),
})
