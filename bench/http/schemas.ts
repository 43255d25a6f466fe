import { z } from 'zod'

/** The path of one car, as text turned into a number. */
export const CarPath = z.object({ id: z.coerce.number().int() })

/** The query of the list, as text turned into numbers. */
export const CarQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100),
  search: z.string().optional(),
})

export const NewCar = z.object({
  name: z.string().min(1).max(100),
  price: z.number().positive(),
  year: z.number().int().min(1886),
  condition: z.enum(['new', 'used']),
  isElectric: z.boolean().default(false),
  tags: z.array(z.string().min(1)).max(10),
})
