import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'

import { buildContainer, runContainer } from './tutorial/container.ts'
import { readPage } from './tutorial/page.ts'
import { findPostgres, startPostgres } from './tutorial/postgres.ts'
import { findPort } from '../support/ports.ts'
import { checkTypes, COMPILERS, createProject, ROOT } from './tutorial/project.ts'
import type { Project } from './tutorial/project.ts'

const FOLDER = join(ROOT, 'docs/tutorial')
const SECRET = 'only to try it out on this machine'

const chapters = readdirSync(FOLDER)
  .filter((name) => /^\d-.*\.md$/.test(name))
  .toSorted()
const programs = findPostgres()

/** Takes the steps of a chapter. An error begins with the line of the page. */
async function replay(project: Project, chapter: string): Promise<void> {
  for (const step of readPage(join(FOLDER, chapter)))
    try {
      await project.take(step)
    } catch (error) {
      throw new Error(`${chapter}:${step.line}\n${String(Object(error).message)}`, { cause: error })
    }
}

/** The status of a path, as soon as the server listens. */
async function statusOf(url: string): Promise<number> {
  for (let tries = 0; ; tries++)
    try {
      return (await fetch(url)).status
    } catch (error) {
      if (tries === 600) throw error
      await setTimeout(100)
    }
}

describe('the tutorial', { skip: process.platform === 'win32' && 'it uses bash and curl' }, () => {
  let project: Project
  before(async () => (project = await createProject()))
  after(() => project.remove())

  for (const chapter of chapters)
    it(`works as ${chapter} shows`, async () => {
      try {
        await replay(project, chapter)
      } finally {
        await project.leave()
      }
      // what the last chapter leaves has the code of all
      const compilers = chapter === chapters.at(-1) ? COMPILERS : ['typescript' as const]
      if (existsSync(join(project.path, 'tsconfig.json'))) checkTypes(project.path, compilers)
    })

  it('ends with a container that reports its health and stops when it is told to', async () => {
    const image = join(project.path, '../image')
    const container = buildContainer(project.path, image)
    const port = await findPort()
    const settings = { PORT: String(port), DATABASE_URL: 'memory://', TOKEN_SECRET: SECRET }
    const code = await runContainer(image, container, settings, async () => {
      assert.equal(await statusOf(`http://localhost:${port}/readyz`), 200)
      assert.equal(await statusOf(`http://localhost:${port}/v2/walks`), 200)
    })
    assert.equal(code, 0)
  })

  it(
    'ends with tests that pass on PostgreSQL',
    { skip: programs === undefined && 'PostgreSQL is not installed' },
    async () => {
      const server = await startPostgres(programs ?? '')
      try {
        // the second run finds the walks of the first
        for (let runs = 0; runs < 2; runs++) {
          const { code, all } = await project.run(`TEST_DATABASE_URL=${server.url} npm test`)
          assert.equal(code, 0, all)
        }
      } finally {
        await server.stop()
      }
    },
  )
})
