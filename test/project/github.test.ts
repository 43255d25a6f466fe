import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { format } from 'node:util'

import * as octavo from 'octavo'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.github')

const read = (path: string): unknown => parse(readFileSync(join(FOLDER, path), 'utf8'), { strict: true })
const manifestOf = (path: string): Readonly<Record<string, Readonly<Record<string, string>>>> =>
  JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

interface Step {
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly run?: string
}
interface Job {
  readonly 'timeout-minutes': number
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } }
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

describe('the workflows', () => {
  const names = readdirSync(join(FOLDER, 'workflows'))
  const workflows = names.map((name) => read(`workflows/${name}`) as Workflow)
  const [ci, release] = ['ci.yml', 'release.yml'].map((name) => workflows[names.indexOf(name)])
  const stepsOf = (workflow: Workflow | undefined): readonly Step[] =>
    Object.values(workflow?.jobs ?? {}).flatMap(({ steps }) => steps)

  it('run .ci/run on each Node that the checks of runtimes pin', () => {
    const pinned = Object.keys(
      manifestOf('test/runtimes/packages/package.json')['optionalDependencies'] ?? {},
    )
      .flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
    assert.ok(pinned.length > 2)
    assert.deepEqual(ci?.jobs['check']?.strategy?.matrix.node, pinned)
    assert.ok(stepsOf(ci).some(({ run }) => run === '.ci/run'))
  })
  it('begin with the oldest Node that package.json accepts', () => {
    const [oldest] = ci?.jobs['check']?.strategy?.matrix.node ?? []
    assert.match(manifestOf('package.json')['engines']?.['node'] ?? '', new RegExp(`^>=${oldest}\\.`))
  })
  it('may only read, except for the identity of a release and its page', () => {
    for (const { permissions } of workflows) assert.deepEqual(permissions, { contents: 'read' })
    assert.deepEqual(
      workflows.flatMap(({ jobs }) =>
        Object.values(jobs).flatMap(({ permissions }) => (permissions === undefined ? [] : [permissions])),
      ),
      [{ contents: 'read', 'id-token': 'write' }, { contents: 'write' }],
    )
  })
  it('pin each action to a commit, with its version beside it', () => {
    for (const name of names) {
      const lines = readFileSync(join(FOLDER, 'workflows', name), 'utf8')
        .split('\n')
        .filter((line) => line.includes('uses:'))
      assert.ok(lines.length > 0, name)
      for (const line of lines) assert.match(line, /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })
  it('have limits of time', () => {
    for (const { jobs } of workflows)
      for (const job of Object.values(jobs)) assert.ok(job['timeout-minutes'] > 0)
  })
  it('publish after the checks, with provenance, and without a token', () => {
    const commands = stepsOf(release).flatMap(({ run }) => run ?? [])
    const [check, all, publish] = ['npm run check -- release', '.ci/run', 'npm publish'].map((text) =>
      commands.findIndex((command) => command.includes(text)),
    )
    assert.deepEqual([check, all, publish], [1, 2, 3])
    for (const line of commands[3]?.match(/npm publish.*/g) ?? []) assert.match(line, /--provenance/)
    const text = readFileSync(join(FOLDER, 'workflows/release.yml'), 'utf8')
    assert.doesNotMatch(text.replace('GH_TOKEN: ${{ github.token }}', ''), /secrets\.|TOKEN/)
  })
  it('build a release again with the Node that published it, and list its parts', () => {
    const [publish, again] = Object.values(release?.jobs ?? {})
    const nodeOf = (job: Job | undefined): unknown =>
      job?.steps.find(({ with: options }) => options?.['node-version'])
    assert.deepEqual(nodeOf(again), nodeOf(publish))
    const commands = again?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? ''
    for (const part of [
      /^npm pack$/m,
      /\[ "\$built" = "\$published" \]/,
      /npm sbom .* > \.\.\/octavo\.cdx\.json/,
      /gh release create/,
    ])
      assert.match(commands, part)
  })
})

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly {
    readonly type: string
    readonly id?: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
}

describe('the forms of issues', () => {
  for (const name of ['bug.yml', 'feature.yml']) {
    it(`have fields in ${name}`, () => {
      const { body, ...form } = read(`ISSUE_TEMPLATE/${name}`) as Form
      assert.ok(form.name !== '' && form.description !== '')
      const fields = body.filter(({ type }) => type !== 'markdown')
      assert.ok(fields.length > 1)
      for (const { type, id, attributes } of fields) {
        assert.ok(['input', 'textarea', 'dropdown', 'checkboxes'].includes(type), type)
        assert.match(id ?? '', /^[a-z]+$/)
        assert.equal(typeof attributes['label'], 'string')
      }
      assert.equal(new Set(fields.map(({ id }) => id)).size, fields.length)
    })
  }
  it('have a reproduction of at most 15 lines that runs', async (t) => {
    const { body } = read('ISSUE_TEMPLATE/bug.yml') as Form
    const code = String(body.find(({ id }) => id === 'reproduction')?.attributes['value'])
    assert.ok(code.trim().split('\n').length <= 15)
    const { mock } = t.mock.method(console, 'log', () => undefined)
    await runModule(code)
    assert.deepEqual(
      mock.calls.map(({ arguments: printed }) => format(...printed)),
      ['200 { id: 7 }'],
    )
  })
})

/** Runs a module that imports Octavo, which is here already. */
async function runModule(code: string): Promise<void> {
  const body = code.replaceAll(/^import (\{.*\}) from '(.*)'$/gm, "const $1 = await load('$2')")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor has no type
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const load = (name: string): unknown => (name === 'octavo' ? octavo : import(name))
  await AsyncFunction('load', body)(load)
}
