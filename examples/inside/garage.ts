import type { z } from 'zod'

import { CarPatch, NewCar, NewOwner } from './models.ts'
import type { Car, Owner } from './models.ts'

/** What the garage refuses, by the status that tells it. */
export class GarageError extends Error {
  readonly status: 404 | 409 | 422

  constructor(status: 404 | 409 | 422, message: string) {
    super(message)
    this.name = 'GarageError'
    this.status = status
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, success, error } = schema.safeParse(value)
  if (success) return data
  throw new GarageError(422, error.issues.map(({ message }) => message).join('. '))
}

/** The cars and their owners, in the newest shapes. */
export class Garage {
  readonly #cars = new Map<string, Car>([['7', { id: '7', name: 'Beetle', priceCents: 1250 }]])
  readonly #owners = new Map<string, { readonly email: string; readonly cars: Set<string> }>()

  list(limit = Infinity): Car[] {
    return [...this.#cars.values()].slice(0, limit)
  }

  search(text: string): Car[] {
    return this.list().filter(({ name }) => name.includes(text))
  }

  getOne(id: string): Car {
    const car = this.#cars.get(id)
    if (car === undefined) throw new GarageError(404, `There is no car ${id}`)
    return car
  }

  create(body: unknown): Car {
    const car = parse(NewCar, body)
    if (this.list().some(({ name }) => name === car.name))
      throw new GarageError(409, `${car.name} is here already`)
    return this.#keep({ id: `${this.#cars.size + 7}`, ...car })
  }

  replace(id: string, body: unknown): Car {
    return this.#keep({ ...this.getOne(id), ...parse(NewCar, body) })
  }

  update(id: string, body: unknown): Car {
    const car = this.getOne(id)
    const { name = car.name, priceCents = car.priceCents } = parse(CarPatch, body)
    return this.#keep({ id, name, priceCents })
  }

  remove(id: string): void {
    this.#cars.delete(this.getOne(id).id)
  }

  *events(): Generator<string> {
    for (const car of this.list()) yield `event: car\ndata: ${JSON.stringify(car)}\n\n`
  }

  owners(): Owner[] {
    return [...this.#owners.keys()].map((id) => this.owner(id))
  }

  owner(id: string): Owner {
    const { email, cars } = this.#ownerOf(id)
    return { id, email, cars: this.list().filter((car) => cars.has(car.id)) }
  }

  createOwner(body: unknown): Owner {
    const id = `${this.#owners.size + 1}`
    this.#owners.set(id, { ...parse(NewOwner, body), cars: new Set() })
    return this.owner(id)
  }

  sell(id: string, car: string): Owner {
    this.#ownerOf(id).cars.add(this.getOne(car).id)
    return this.owner(id)
  }

  #ownerOf(id: string) {
    const owner = this.#owners.get(id)
    if (owner === undefined) throw new GarageError(404, `There is no owner ${id}`)
    return owner
  }

  #keep(car: Car): Car {
    this.#cars.set(car.id, car)
    return car
  }
}
