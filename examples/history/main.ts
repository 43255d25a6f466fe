/*
 * One API of users in three releases: the routes are those of the third, and changes.ts has what was different before.
 *
 *   npm run history                        versions in a header
 *   npm run history -- --versioning=url    versions in the path
 */
import { createHeaderApp, createUrlApp } from './app.ts'

const isUrl = process.argv.includes('--versioning=url')
const create = isUrl ? createUrlApp : createHeaderApp
const url = await create({ logger: false, docs: {} }).listen({ port: Number(process.env['PORT'] ?? 3000) })

const curl = (version: string, path: string, options = ''): string =>
  isUrl
    ? `  curl ${options}${url}/v${version}${path}`
    : `  curl -H 'X-API-Version: ${version}' ${options}${url}${path}`

console.log(`The users listen on ${url} and are described on ${url}/docs

Try:
${curl('1', '/users', `--json '{"name":"Ann Lee","addresses":[{"street":"Main Street 1","town":"Rome"}]}' `)}
${curl('1', '/people')}
${curl('2', '/people')}
${curl('3', '/users')}
${curl('3', '/users/user_1', `-X PATCH --json '{"status":"paused"}' `)}
${curl('1', '/users/1')}    (paused users are active ones in versions 1 and 2)
${curl('1', '/users', `--json '{"addresses":[{"town":1}]}' `)}    (422 in the names of version 1)
${curl('1', '/users/1/close', '-X POST ')}    (removed by version 3)
${curl('1', '/users/feed')}

Ctrl+C stops.`)
