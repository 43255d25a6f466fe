import { z } from 'zod'

export const CreateCar = z.object({
  name: z.string(),
  year: z.number().int().positive(),
  model: z.string(),
})

export const CarListFilter = z.object({
  offset: z.number().int().default(1),
  limit: z.number().int().default(10),
})

export const Car = CreateCar.extend({ id: z.string() })
