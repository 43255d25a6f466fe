/**
 * Generates the client of the recipe for Prisma from the models on its page, beside the recipes that recipes.js has written. This needs no
 * engine, but Prisma downloads one unless a file is named in its place.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const recipes = join(import.meta.dirname, 'cookbook/.recipes')
const page = readFileSync(join(import.meta.dirname, '../../docs/cookbook/prisma.md'), 'utf8')
const [, schema] = /^```prisma\n([\s\S]*?)^```$/m.exec(page) ?? []
if (schema === undefined) throw new Error('docs/cookbook/prisma.md has no models')

mkdirSync(join(recipes, 'prisma'))
// recipes have no folder src
writeFileSync(join(recipes, 'prisma/schema.prisma'), schema.replace('"../src/generated"', '"../generated"'))
execFileSync(
  process.execPath,
  [
    join(import.meta.dirname, 'node_modules/prisma/build/index.js'),
    'generate',
    '--config',
    join(recipes, 'prisma.ts'),
  ],
  {
    cwd: recipes,
    env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
