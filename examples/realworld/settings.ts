import { z } from 'zod'

export const Settings = z.object({
  /** Signs tokens. */
  secret: z.string().min(32),
  /** A folder; `memory://` keeps nothing. */
  databaseUrl: z.string().default('memory://'),
})
