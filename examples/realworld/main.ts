/*
 * The API of RealWorld (Conduit): users, articles with tags and favorites, in two versions of the article.
 *
 *   node --import tsx --conditions octavo-source examples/realworld/main.ts
 *
 * The database lives in memory; DATABASE_URL=~/conduit keeps it in a folder. SECRET signs tokens.
 */
import { randomBytes } from 'node:crypto'

import { createRealWorld } from './app.ts'

const { SECRET: secret = randomBytes(32).toString('hex'), DATABASE_URL: databaseUrl, PORT } = process.env
const app = createRealWorld({ config: { secret, databaseUrl } })
const url = await app.listen({ port: Number(PORT ?? 3000) })

console.log(`RealWorld listens on ${url}

Try:
  TOKEN=$(curl -s --json '{"user":{"username":"ann","email":"ann@example.com","password":"ann-secret"}}' ${url}/api/users | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -H "Authorization: Token $TOKEN" --json '{"article":{"title":"Cars","description":"All","body":"Ford","tagList":["cars"]}}' ${url}/api/articles
  curl '${url}/api/articles?tag=cars'
  curl -H 'x-api-version: 2' ${url}/api/articles                 (tags in the place of tagList)
  curl --json '{"user":{"email":""}}' ${url}/api/users           (422)

Ctrl+C stops.`)
