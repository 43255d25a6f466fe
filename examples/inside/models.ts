import { derive, model } from 'octavo/changes'
import { z } from 'zod'

// The newest shapes: all that the frameworks know.

export const Car = model('Car', { id: z.string(), name: z.string(), priceCents: z.int() })
export type Car = z.output<typeof Car>

export const NewCar = derive(Car, (car) => car.omit({ id: true }))
export const CarPatch = derive(Car, (car) => car.omit({ id: true }).partial())

export const NewOwner = z.object({ email: z.email() })
export const Owner = z.object({ id: z.string(), email: z.string(), cars: z.array(Car) })
export type Owner = z.output<typeof Owner>

export const Failure = z.object({ error: z.string() })
