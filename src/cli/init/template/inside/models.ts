import { derive, model } from 'octavo/changes'
import { z } from 'zod'

// the newest shapes, as your handlers know them
export const Car = model('Car', { id: z.string(), name: z.string() })
export const NewCar = derive(Car, (car) => car.omit({ id: true }))
