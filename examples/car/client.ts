import { createClient, ProblemError } from 'octavo/client'
import type { Client, VersionedClientOptions } from 'octavo/client'

import type { createCarApp } from './app.ts' // a type: nothing of the server is loaded

type CarApp = ReturnType<typeof createCarApp>

type CarVersion = '1' | '2'

/** The calls of the car application in either version, as its definitions type them. */
export type CarClient = Client<CarApp, CarVersion>

/** A client of the car application; how versions travel is the application's business. */
export function createCarClient(options: VersionedClientOptions<CarVersion>): CarClient {
  return createClient<CarApp, CarVersion>(options)
}

/** What a client sees of the cars, line by line. */
export async function tellCars({ car, garage }: CarClient): Promise<readonly string[]> {
  const created = await car.create({ body: { name: 'Ford', year: 2026, model: 'Fiesta' } })
  const list = await car.list({ query: { limit: 5 } })
  const one = await car.getOne({ params: { car_id: '7' } })
  const parked = await garage.getOne({ params: { car_id: 7 } })
  return [created.data.message, list.data, one.data, JSON.stringify(parked.data), await tellMistake(car)]
}

/** Errors that a route does not declare are thrown, with all that the problem document says. */
async function tellMistake(car: CarClient['car']): Promise<string> {
  try {
    await car.create({ body: { name: 'Ford', year: 0, model: 'T' } })
    return 'Cars can be of the year 0'
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return `${error.status} ${error.errors.map(({ path, message }) => `${path.join('.')}: ${message}`).join()}`
  }
}
