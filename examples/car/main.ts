import { createCarApp, SCHEMES } from './app.ts'
import type { SchemeName } from './app.ts'

const isScheme = (name: string): name is SchemeName => Object.hasOwn(SCHEMES, name)

const scheme =
  process.argv.find((argument) => argument.startsWith('--versioning='))?.slice('--versioning='.length) ??
  'url'
if (!isScheme(scheme)) {
  console.error(`--versioning=${scheme}: use one of ${Object.keys(SCHEMES).join(', ')}`)
  process.exit(1)
}

const url = await createCarApp(scheme, { logger: false }).listen({
  port: Number(process.env['PORT'] ?? 3000),
})

const versioned: Readonly<Record<SchemeName, (version: string) => string>> = {
  url: (version) => `${url}/v${version}/garage/7`,
  accept: (version) => `-H 'Accept: application/json; version=${version}' ${url}/garage/7`,
  header: (version) => `-H 'X-Custom-Header: version_header=${version};' ${url}/garage/7`,
  query: (version) => `'${url}/garage/7?version=${version}'`,
  host: (version) => `-H 'Host: v${version}.example.com' ${url}/garage/7`,
}

console.log(`The car example listens on ${url} (versioning: ${scheme})
and is described on ${url}/docs

Try:
  curl ${url}/car/
  curl '${url}/car/?limit=5&offset=20'
  curl ${url}/car/welcome
  curl ${url}/car/7
  curl -X DELETE ${url}/car/7
  curl -H 'Content-Type: application/json' -d '{"name":"Ford","year":2026,"model":"Fiesta"}' ${url}/car/
  curl -X PUT -H 'Content-Type: application/json' -d '{"name":"Ford","year":0}' ${url}/car/7    (422: what is wrong)
  curl ${versioned[scheme]('1')}
  curl ${versioned[scheme]('2')}
  curl ${versioned[scheme]('9')}    (no such version)

Other schemes: npm start -- --versioning=accept (or header, query, host). Ctrl+C stops.`)
