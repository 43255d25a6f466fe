/*
 * A shop: articles, accounts with sessions, orders in transactions.
 *
 *   node --import tsx --conditions octavo-source examples/shop/main.ts
 *
 * The database lives in memory; DATABASE_URL=~/shop-data keeps it in a folder, DATABASE_URL=postgres://user:password@localhost/shop
 * in a PostgreSQL server. ADMIN_PASSWORD makes the account admin@shop.example, IMPORT_KEY lets suppliers in.
 *
 *   curl localhost:3000/articles?search=cup
 *   curl --json '{"email":"ann@example.com","password":"ann-secret"}' localhost:3000/accounts
 *   curl --json '{"email":"ann@example.com","password":"ann-secret"}' -c jar localhost:3000/accounts/login
 *   curl -b jar localhost:3000/accounts/me
 *   curl -b jar --json '{"lines":[{"articleId":3,"quantity":1}]}' localhost:3000/v1/orders     (201; once more: 409)
 *   curl -b jar localhost:3000/v1/orders
 *   curl -b jar localhost:3000/v2/orders                                                       (with totals)
 *   curl -b jar -c jar -X POST localhost:3000/accounts/logout
 */
import { z } from 'zod'

import { createShop } from './app.ts'
import * as config from './config.ts'
import { ShopSettings } from './settings.ts'

const { data: settings, error } = ShopSettings.safeParse(config)
if (error !== undefined) {
  console.error(`The settings are not complete:\n${z.prettifyError(error)}`)
  process.exit(1)
}

const app = createShop(settings, { config })
const url = await app.listen({ port: settings.port })

if (process.env['SESSION_SECRET'] === undefined)
  console.log('SESSION_SECRET is not set: the secret is a random one, and sessions end with this process')
console.log(`The shop listens on ${url}, try ${url}/articles. Ctrl+C stops.`)
