import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const HERE = import.meta.dirname

/** An application with these options answers these requests, and so loads these parts that the steps before did not. */
type Step = readonly [
  title: string,
  options: string,
  urls: readonly string[],
  expected: readonly (keyof typeof PARTS)[],
]

/** Applications that one process starts, one after the other. */
interface Process {
  readonly listens: boolean
  readonly steps: readonly Step[]
}

/** The files that one process loads in each step, as the engine tells. */
async function loadedIn({ listens, steps }: Process): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-loaded-'))
  const main = join(folder, 'main.mts')
  const support = JSON.stringify(pathToFileURL(join(HERE, 'support.ts')).href)
  writeFileSync(
    main,
    `import { once } from 'node:events'
import { Session } from 'node:inspector'
const loaded = []
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url))
session.post('Debugger.enable')
const { createCars } = await import(${support})
async function take(options, urls) {
  const app = createCars(options)
  ${listens ? "await app.listen({ port: 0, host: '127.0.0.1' })" : ''}
  for (const url of urls) {
    const { statusCode } = await app.inject(url)
    if (statusCode !== 200) throw new Error(url + ': ' + statusCode)
  }
  await app.close()
  // a server loads parts while it listens, and nothing is left to do when it has them all
  await once(process, 'beforeExit')
  console.log(loaded.splice(0).join(' '))
}
${steps.map(([, options, urls]) => `await take(${options}, ${JSON.stringify(urls)})`).join('\n')}
`,
  )
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--conditions', 'octavo-source', main],
      { cwd: join(HERE, '../..'), maxBuffer: 2 ** 24 },
    )
    return stdout.split('\n')
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
  viewers: /src\/server\/docs\/viewers\.ts/,
  page: /src\/server\/docs\/page\//,
  'swagger-ui-dist': /node_modules\/swagger-ui-dist\//,
} as const

const PROCESSES: readonly Process[] = [
  {
    listens: false,
    steps: [
      ['without docs', '{ docs: false }', ['/car/status'], []],
      ['before the first request for them', '{ docs: {} }', ['/car/status'], []],
      [
        'with the page asked for, whose package is looked for and not run',
        "{ docs: { ui: 'swagger' } }",
        ['/car/status'],
        ['viewers'],
      ],
      [
        'with sessions',
        "{ docs: false, session: { secret: 'x'.repeat(32) } }",
        ['/car/status'],
        ['sessions'],
      ],
      ['with health paths', "{ docs: false, health: { live: '/livez' } }", ['/livez'], ['health']],
      ['for the page', '{}', ['/docs', '/docs/assets/swagger-ui-bundle.js'], ['documents', 'page']],
    ],
  },
  {
    listens: false,
    steps: [
      [
        'for a document in JSON',
        '{}',
        ['/docs/openapi.json'],
        ['documents', 'generator', 'converter', 'zod-openapi'],
      ],
      ['for a document in YAML after one in JSON', '{}', ['/docs/openapi.yaml'], []],
    ],
  },
  {
    listens: true,
    steps: [
      ['without docs', '{ docs: false }', ['/car/status'], []],
      [
        'with sessions',
        "{ docs: false, session: { secret: 'x'.repeat(32) } }",
        ['/car/status'],
        ['sessions'],
      ],
      ['with health paths', "{ docs: false, health: { live: '/livez' } }", ['/livez'], ['health']],
      [
        'with documents that no page shows, before the first request for them',
        '{ docs: { ui: false } }',
        [],
        ['documents', 'generator', 'converter', 'zod-openapi'],
      ],
      [
        'with the page, before the first request for it, and its package is not run',
        "{ docs: { ui: 'swagger' } }",
        [],
        ['viewers', 'page'],
      ],
      [
        'for the first requests of the page and of documents',
        '{}',
        ['/docs', '/docs/assets/swagger-ui-bundle.js', '/docs/openapi.json', '/docs/openapi.yaml'],
        [],
      ],
    ],
  },
]

for (const one of PROCESSES)
  describe(`of its optional parts, an application that ${one.listens ? 'listens' : 'does not listen'} loads`, () => {
    let loaded: readonly string[] = []
    before(async () => {
      loaded = await loadedIn(one)
      assert.match(loaded[0] ?? '', /src\/server\/app\/application\.ts/)
    })
    for (const [index, [title, , , expected]] of one.steps.entries())
      it(`${expected.length === 0 ? 'nothing' : expected.join(', ')} ${title}`, () => {
        const found = Object.entries(PARTS).filter(([, pattern]) => pattern.test(loaded[index] ?? ''))
        assert.deepEqual(
          found.map(([name]) => name),
          expected,
        )
      })
  })
