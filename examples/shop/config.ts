/** The settings: a module whose exports `ShopSettings` reads. */
import { randomBytes } from 'node:crypto'

const { env } = process
const isProduction = env['NODE_ENV'] === 'production'

export const port = env['PORT']
export const databaseUrl = env['DATABASE_URL']
export const adminPassword = env['ADMIN_PASSWORD']
export const importKey = env['IMPORT_KEY']
export const secureCookies = isProduction

/** In production there is no default: a secret that everybody knows, or that the next start forgets, is none. */
export const sessionSecret =
  env['SESSION_SECRET'] ?? (isProduction ? undefined : randomBytes(32).toString('hex'))
