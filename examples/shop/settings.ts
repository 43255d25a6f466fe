import { z } from 'zod'

/** What the shop can be told; `config.ts` says where it comes from. */
export const ShopSettings = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(3000),
  /** `memory://`, a folder, or `postgres://user:password@host/database`. */
  databaseUrl: z.string().min(1).default('memory://'),
  sessionSecret: z.string().min(32),
  /** Whether browsers send the session's cookie over HTTPS alone. */
  secureCookies: z.boolean().default(true),
  /** Makes the account admin@shop.example at the start. */
  adminPassword: z.string().min(8).optional(),
  /** Lets suppliers import articles. */
  importKey: z.string().min(16).optional(),
})
