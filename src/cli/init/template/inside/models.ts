import { model } from 'octavo/changes'
import { z } from 'zod'

// the newest shapes, as your handlers return them
export const Car = model('Car', { id: z.string(), name: z.string() })
