import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'

import { failure, say, sayStyle, type Outcome, type Setting, type Step } from '../command.ts'
import { readFileText, writeFiles } from '../write-file.ts'
import { insideFiles, packedOrigin } from './project.ts'

interface Framework {
  readonly name: string
  /** The packages that an app of it has. */
  readonly packages: readonly string[]
  readonly adapter: 'express' | 'fastify' | 'hono'
  readonly line: string
  readonly place: string
}

const OF_EXPRESS = { adapter: 'express', line: 'app.use(inside(versions))' } as const
const OF_FASTIFY = { adapter: 'fastify', line: 'await app.register(inside, { versions })' } as const
const BEFORE_LISTEN = 'before app.listen'

/** Those that stand on another one come first. */
const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'NestJS on Fastify',
    packages: ['@nestjs/core', '@nestjs/platform-fastify'],
    place: BEFORE_LISTEN,
    ...OF_FASTIFY,
  },
  { name: 'NestJS on Express', packages: ['@nestjs/core'], place: BEFORE_LISTEN, ...OF_EXPRESS },
  {
    name: 'Hono',
    packages: ['hono'],
    place: 'before the routes',
    adapter: 'hono',
    line: 'app.use(inside(versions, { app }))',
  },
  { name: 'Fastify', packages: ['fastify'], place: 'before the routes', ...OF_FASTIFY },
  { name: 'Express', packages: ['express'], place: 'before the routes', ...OF_EXPRESS },
]

/** Packages that write the OpenAPI document of an app. */
const DOCUMENTING = ['@nestjs/swagger', 'hono-openapi', '@fastify/swagger', 'swagger-jsdoc']

/** Packages whose zod schemas `octavo import --from` reads. */
const OF_ZOD = ['@hono/zod-openapi', 'fastify-type-provider-zod']

/** Documents that apps keep. */
const DOCUMENTS = ['openapi.json', 'openapi.yaml', 'openapi.yml', 'swagger.json', 'swagger.yaml']

/** The folder of the files. */
const FOLDER = 'versions'

/**
 * Writes the first older version of an app that exists, and prints the line that the app needs. Files of the app stay as they are.
 *
 * @throws `CommandError` for a folder without an app of a known framework, and for files that exist.
 */
export async function addInside(folder: string, isForced: boolean, { main }: Setting): Promise<Outcome> {
  const manifest = await readManifest(folder)
  const found = findFrameworks(manifest.packages)
  if (found.length === 0)
    throw failure(
      `${join(folder, 'package.json')} has none of hono, fastify, express and @nestjs/core`,
      'run this in the folder of your app, or create a new project with octavo init garage',
    )
  const source = existsSync(join(folder, 'src')) ? 'src' : '.'
  const own = posix.join(source, FOLDER)
  const ending = await endingOf(folder, manifest.isModule)
  const files = Object.entries(insideFiles(main)).map(([name, text]) => ({
    name: posix.join(own, name),
    text: text.replaceAll(/(from '\.[^']*)\.ts'/g, `$1${ending}'`),
  }))
  const existing = files.filter(({ name }) => existsSync(join(folder, name))).map(({ name }) => name)
  if (existing.length > 0 && !isForced)
    throw failure(
      `${existing.join(', ')} exist${existing.length === 1 ? 's' : ''}`,
      'pass --force to replace what exists',
    )
  await writeFiles(files.map(({ name, text }) => ({ path: join(folder, name), text })))
  const { green, bold, cyan } = sayStyle()
  const lines = found.map(({ name, place, adapter, line }) => ({
    head: `Add this to your app of ${name}, ${place}:`,
    code: [
      `import { inside } from 'octavo/inside/${adapter}'`,
      `import { versions } from './${FOLDER}/versions${ending}'`,
      line,
    ],
  }))
  const steps = nextSteps(folder, own, manifest.packages, packedOrigin(main, folder))
  say(
    [
      ...files.map(({ name }) => `${green('Wrote')} ${name}`),
      ...lines.flatMap(({ head, code }) => ['', bold(head), ...code.map((line) => `  ${line}`)]),
      '',
      'Next:',
      // a command speaks for itself, unless a sentence leads to it
      ...steps.flatMap(({ text, run }) => [
        ...(run === undefined || text.endsWith(':') ? [text] : []),
        ...(run === undefined ? [] : [cyan(`  ${run}`)]),
      ]),
    ].join('\n'),
  )
  return {
    result: { files: files.map(({ name }) => name) },
    next: [...lines.map(({ head, code }) => ({ text: [head, ...code].join('\n') })), ...steps],
  }
}

interface AppManifest {
  readonly packages: ReadonlySet<string>
  readonly isModule: boolean
}

async function readManifest(folder: string): Promise<AppManifest> {
  const path = join(folder, 'package.json')
  const text = await readFileText(path)
  if (text === undefined)
    throw failure(
      `${path} doesn't exist`,
      '--inside adds versions to an app: run it in the folder of your app, or leave it out to create a project',
    )
  const { type, dependencies, devDependencies } = Object(parseManifest(text, path))
  return {
    packages: new Set([dependencies, devDependencies].flatMap((each) => Object.keys(Object(each)))),
    isModule: type === 'module',
  }
}

function parseManifest(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw failure(`${path} is not valid JSON`)
  }
}

function findFrameworks(packages: ReadonlySet<string>): readonly Framework[] {
  const found = FRAMEWORKS.filter((framework) => framework.packages.every((name) => packages.has(name)))
  const [first] = found
  return first?.name.startsWith('NestJS') === true ? [first] : found
}

/** How the modules of an app name each other, for its compiler and for Node. */
async function endingOf(folder: string, isModule: boolean): Promise<'.ts' | '.js' | ''> {
  const config = await readFileText(join(folder, 'tsconfig.json'))
  const isWritten = /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/
  if (config === undefined || isWritten.test(config)) return '.ts'
  return isModule ? '.js' : ''
}

function nextSteps(
  folder: string,
  own: string,
  packages: ReadonlySet<string>,
  origin: string | undefined,
): readonly Step[] {
  const missing = [
    ...(packages.has('octavo') ? [] : [origin ?? 'octavo']),
    ...(packages.has('zod') ? [] : ['zod']),
  ]
  return [
    ...(missing.length === 0
      ? []
      : [{ text: 'install the packages', run: `npm install ${missing.join(' ')}` }]),
    ...(packages.has('tsx') ? [] : [{ text: 'install tsx', run: 'npm install --save-dev tsx' }]),
    { text: 'run the test', run: `node --import tsx --test ${own}/versions.test.ts` },
    { text: `Then describe your own models and routes in ${own}, and test them there.` },
    ...pointToImport(folder, own, packages),
  ]
}

/** Names the command that imports the routes of an app that describes itself already. */
function pointToImport(folder: string, own: string, packages: ReadonlySet<string>): readonly Step[] {
  const schemas = OF_ZOD.find((name) => packages.has(name))
  if (schemas !== undefined)
    return [
      {
        text: `Your app has schemas by ${schemas}. This writes versions.ts from them, if that module exports your app:`,
        run: `npx octavo import --from src/app.ts --out ${own} --force`,
      },
    ]
  const document = DOCUMENTS.find((name) => existsSync(join(folder, name)))
  const written = DOCUMENTING.find((name) => packages.has(name))
  if (document === undefined && written === undefined) return []
  return [
    {
      text: `Your app has an OpenAPI document${document === undefined ? ` by ${written}` : ''}. This writes models and controllers from it, which you forward to host:`,
      run: `npx octavo import ${document ?? 'openapi.json'} --out ${own}/api`,
    },
  ]
}
