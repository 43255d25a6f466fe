import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const HERE = import.meta.dirname

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

/** The files that a process loads for an application with these options that answers these requests, as the engine counts them. */
async function loadedFor(options: string, urls: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-loaded-'))
  const main = join(folder, 'main.mts')
  const support = JSON.stringify(pathToFileURL(join(HERE, 'support.ts')).href)
  writeFileSync(
    main,
    `import { createCars } from ${support}
const app = createCars(${options})
await app.listen({ port: 0, host: '127.0.0.1' })
for (const url of ${JSON.stringify(urls)}) {
  const { statusCode } = await app.inject(url)
  if (statusCode !== 200) throw new Error(url + ': ' + statusCode)
}
await app.close()
`,
  )
  try {
    await promisify(execFile)(process.execPath, ['--import', 'tsx', '--conditions', 'octavo-source', main], {
      cwd: join(HERE, '../..'),
      env: { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage') },
    })
    // the threads of a process have a file each
    const files = readdirSync(join(folder, 'coverage'))
    const results = files.flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(folder, 'coverage', file), 'utf8')) as Coverage
      return result.map(({ url }) => url)
    })
    return results.join('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const PARTS = {
  sessions: /src\/server\/session\/sessions\.ts/,
  health: /src\/server\/services\/health\.ts/,
  workers: /src\/server\/process\/workers\//,
  multipart: /src\/server\/request\/multipart\.ts/,
  documents: /src\/server\/docs\/documents\.ts/,
  generator: /src\/openapi\/document\/generate\.ts/,
  converter: /src\/openapi\/schemas\/convert\.ts/,
  'zod-openapi': /node_modules\/zod-openapi\//,
  yaml: /src\/openapi\/document\/yaml\.ts/,
  page: /src\/server\/docs\/page\//,
  'swagger-ui-dist': /node_modules\/swagger-ui-dist\//,
} as const

const cases = [
  ['without docs', '{ docs: false }', ['/car/status'], []],
  ['before the first request for them', '{ docs: {} }', ['/car/status'], []],
  ['with sessions', "{ docs: false, session: { secret: 'x'.repeat(32) } }", ['/car/status'], ['sessions']],
  ['with health paths', "{ docs: false, health: { live: '/livez' } }", ['/livez'], ['health']],
  ['with the page asked for, whose package is looked for and not run', "{ docs: { ui: 'swagger' } }", [], []],
  ['for the page', '{}', ['/docs', '/docs/assets/swagger-ui-bundle.js'], ['documents', 'page']],
  [
    'for a document in JSON',
    '{}',
    ['/docs/openapi.json'],
    ['documents', 'generator', 'converter', 'zod-openapi'],
  ],
  [
    'for a document in YAML',
    '{}',
    ['/docs/openapi.yaml'],
    ['documents', 'generator', 'converter', 'zod-openapi', 'yaml'],
  ],
] as const

describe('of its optional parts, an application loads', { concurrency: 2 }, () => {
  for (const [title, options, urls, expected] of cases) {
    it(`${expected.length === 0 ? 'nothing' : expected.join(', ')} ${title}`, async () => {
      const loaded = await loadedFor(options, urls)
      assert.match(loaded, /src\/server\/app\/application\.ts/)
      assert.deepEqual(
        Object.entries(PARTS).flatMap(([name, pattern]) => (pattern.test(loaded) ? [name] : [])),
        expected,
      )
    })
  }
})
