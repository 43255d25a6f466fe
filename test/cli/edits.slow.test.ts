import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createProject, FROM_SOURCE, octavo, ROOT, type Outcome } from '../support/octavo.ts'
import { findPackage } from '../support/package.ts'
import { EDITS, REQUESTS, SEED, type OwnEdit, type TextEdit } from './edits.ts'

type Files = Readonly<Record<string, string>>

const project = createProject()
after(project.remove)

function edited(files: Files, edits: readonly TextEdit[]): Files {
  return edits.reduce((made, [file, from, to]) => {
    const text = made[file] ?? ''
    assert.ok(text.includes(from), `${file} has no ${from}`)
    return { ...made, [file]: text.replace(from, () => to) }
  }, files)
}

const sourcesIn = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(join(project.path, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [`src/${name}`, readFileSync(join(project.path, folder, 'src', name), 'utf8')]),
  )

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) project.write(`${folder}/${name}`, text)
}

/** The answers of several projects, without what each request has of its own. */
function answersOf(folders: readonly string[]): Readonly<Record<string, readonly object[]>> {
  project.write(
    'probe.ts',
    `${folders.map((folder) => `import { createBooksApp as ${folder} } from './${folder}/src/app.ts'`).join('\n')}
const answers: Record<string, object[]> = {}
for (const [folder, create] of Object.entries({ ${folders.join(', ')} })) {
  const app = create({ logger: false })
  answers[folder] = []
  for (const request of ${JSON.stringify(REQUESTS)}) {
    const { statusCode, body } = await app.inject(request)
    answers[folder].push({ request, statusCode, body: JSON.parse(body) })
  }
  await app.close()
}
process.stdout.write(JSON.stringify(answers))
`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [...FROM_SOURCE, 'probe.ts'], {
    cwd: project.path,
    encoding: 'utf8',
  })
  assert.ok(stdout.startsWith('{'), stderr)
  return JSON.parse(stdout)
}

interface Written extends Outcome {
  readonly edit: OwnEdit
  readonly folder: string
  /** The changes by their files. */
  readonly changes: Files
}

const written: Written[] = []
let answers: ReturnType<typeof answersOf> = {}
let errors = ''

before(async () => {
  const main = join(await findPackage(), 'dist/cli/main.js')
  const run = (folder: string, ...args: readonly string[]): Promise<Outcome> =>
    octavo(args, { cwd: join(project.path, folder), node: ['--conditions', 'octavo-source', main] })
  const template = join(ROOT, 'src/cli/init/template')
  cpSync(join(template, 'src'), join(project.path, 'released/src'), { recursive: true })
  const released = {
    ...edited(sourcesIn('released'), SEED),
    'package.json': '{ "type": "module", "octavo": { "app": "src/app.ts" } }',
  }
  write('released', released)
  assert.equal((await run('released', 'snapshot')).code, 0)
  const queue = EDITS.map((edit, at) => ({
    edit,
    folder: `edit${at}`,
  }))
  const finish = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { edit, folder } = next
      write(folder, edited(released, edit.edits))
      cpSync(join(project.path, 'released/api'), join(project.path, folder, 'api'), { recursive: true })
      const strict = edit.isStrict === true ? ['--strict'] : []
      const outcome = await run(folder, 'check', '--write', ...strict)
      const sources = sourcesIn(folder)
      const changes = Object.fromEntries(
        Object.entries(sources).filter(([name]) => name.includes('/changes/') && !(name in released)),
      )
      for (const [name, text] of Object.entries(changes))
        project.write(
          `${folder}/${name}`,
          (edit.fill ?? []).reduce((made, [from, to]) => made.replaceAll(from, () => to), text),
        )
      write(folder, edited(sourcesIn(folder), edit.left?.mended ?? []))
      written.push({ ...outcome, edit, folder, changes })
    }
  }
  // one more would wait for a core
  await Promise.all([finish(), finish()])
  errors = await project.compile(['edit*/src'])
  answers = answersOf(['released', ...written.map(({ folder }) => folder)])
})

describe('an edit of the project that octavo init writes', () => {
  for (const edit of EDITS)
    it(`has the changes that older clients need: ${edit.title}`, () => {
      const own = written.find((each) => each.edit === edit)
      assert.ok(own)
      const { folder, changes, stderr, code } = own
      const names = Object.keys(changes).map((name) => name.replace(/^.*\/|\.ts$/g, ''))
      assert.deepEqual(names.toSorted(), edit.changes.toSorted(), stderr)
      const texts = Object.values(changes).join('\n')
      assert.ok(texts.includes(edit.code ?? ''), texts)
      const isOpen = edit.fill !== undefined
      assert.equal(code, edit.left !== undefined ? 1 : isOpen ? 3 : 0, stderr)
      if (edit.left !== undefined) assert.ok(stderr.includes(edit.left.named), stderr)
      assert.deepEqual(
        errors.split('\n').filter((line) => line.startsWith(`${folder}/`)),
        [],
      )
      const kept = (list: unknown): unknown =>
        JSON.parse(
          JSON.stringify(list, (key, value: unknown) =>
            edit.lost?.includes(key) === true ? undefined : value,
          ),
        )
      assert.deepEqual(kept(answers[folder]), kept(answers['released']), texts)
    })
})
