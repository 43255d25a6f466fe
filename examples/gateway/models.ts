import { derive, model } from 'octavo/changes'
import { z } from 'zod'

export const Car = model('Car', { id: z.int(), brand: z.string(), plate: z.string() })
export const NewCar = derive(Car, (car) => car.omit({ id: true }))
