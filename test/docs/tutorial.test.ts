import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { parse } from 'yaml'
import { z } from 'zod'

import { applyDiff, assertShown, hasShown, isShown, readPage } from './tutorial/page.ts'

const FOLDER = join(import.meta.dirname, '../../docs/tutorial')
const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md'))
const chapters = pages.filter((name) => name !== 'README.md').toSorted()

const Step = z.object({ run: z.string().optional() })
const Workflow = z.object({ jobs: z.object({ check: z.object({ steps: z.array(Step) }) }) })
const Compose = z.object({
  services: z.object({ app: z.object({ environment: z.record(z.string(), z.string()) }) }),
})

describe('the pages of the tutorial', () => {
  // tutorial.slow.test.ts also runs the result
  it('have edits that fit the files of the pages before', () => {
    const files = new Map<string, string>()
    for (const chapter of chapters)
      for (const step of readPage(join(FOLDER, chapter))) {
        if (step.kind === 'file') files.set(step.path, step.text)
        if (step.kind !== 'edit') continue
        const before = files.get(step.path)
        assert.ok(before !== undefined, `${chapter}:${step.line} changes ${step.path}, which is not there`)
        files.set(step.path, applyDiff(before, step.diff))
      }
    assert.ok(files.has('src/app.ts'))
  })

  it('have a workflow of commands that the pages run, and a container with the settings that they read', () => {
    const steps = chapters.flatMap((chapter) => readPage(join(FOLDER, chapter)))
    const textOf = (path: string): string =>
      steps.flatMap((step) => (step.kind === 'file' && step.path === path ? [step.text] : [])).at(-1) ?? ''
    const commands = steps.flatMap((step) => (step.kind === 'command' ? [step.command.trim()] : []))
    const workflow = Workflow.parse(parse(textOf('.github/workflows/check.yml')))
    const run = workflow.jobs.check.steps.flatMap((step) => step.run ?? [])
    assert.deepEqual(
      run.filter((each) => each !== 'npm ci' && !commands.includes(each.replace(' --format github', ''))),
      [],
    )
    const { services } = Compose.parse(parse(textOf('compose.yaml')))
    const read = [...textOf('src/settings.ts').matchAll(/env\['(\w+)'\]/g)].map(([, name = '']) => name)
    assert.deepEqual(
      Object.keys(services.app.environment).toSorted(),
      read.filter((name) => name !== 'NODE_ENV').toSorted(),
    )
  })

  it('name each file in the text above it, because not every renderer shows the label', () => {
    for (const chapter of chapters) {
      const markdown = readFileSync(join(FOLDER, chapter), 'utf8')
      const sections = markdown.split(/^## /m)
      for (const section of sections)
        for (const match of section.matchAll(/^```\w+ \[([^ \]]+)\]$/gm))
          assert.ok(section.slice(0, match.index).includes(`\`${match[1]}\``), `${chapter}: ${match[1]}`)
    }
  })

  it('lead from the first to the last', () => {
    const inOrder = ['README.md', ...chapters]
    for (const [index, page] of inOrder.slice(0, -1).entries()) {
      const text = readFileSync(join(FOLDER, page), 'utf8')
      assert.match(text, new RegExp(`^Next: .*\\]\\(${inOrder[index + 1]}\\)`, 'm'), page)
    }
    const overview = readFileSync(join(FOLDER, 'README.md'), 'utf8')
    assert.deepEqual(
      chapters.filter((chapter) => !overview.includes(`](${chapter})`)),
      [],
    )
  })
})

describe('the steps of the tutorial', () => {
  it('change the lines of a file that a diff names', () => {
    assert.equal(applyDiff('a\nb\n\nc\n', ' a\n-b\n+d\n+e\n\n'), 'a\nd\ne\n\nc\n')
    assert.equal(applyDiff('a\n', '+b\n a\n'), 'b\na\n')
  })
  it('refuse a diff that fits no place or several', () => {
    assert.throws(() => applyDiff('a\nb\n', '-c\n'), /has these lines 0 times/)
    assert.throws(() => applyDiff('a\nb\na\n', '-a\n'), /has these lines 2 times/)
  })
  it('take an ellipsis for any text or any lines', () => {
    assert.ok(isShown('in … ms', 'in 7 ms\r\n'))
    assert.ok(!isShown('in … ms', 'in 7\nms'))
    assert.ok(isShown('…\nb\n…', 'a\na\nb\nc'))
    assert.ok(isShown('…\nb', 'b'))
    assert.ok(!isShown('a\n…\nd', 'a\nb'))
    assert.ok(!isShown('a.c', 'abc'))
    assert.ok(hasShown('b\nc', 'a\nb\nc\nd'))
    assert.ok(!hasShown('b', 'ab'))
  })
  it('compare whole JSON values', () => {
    assertShown({ a: ['x…'], b: 1 }, { b: 1, a: ['xyz'] })
    assert.throws(() => assertShown({ a: ['x…'] }, { a: ['yz'] }))
    assert.throws(() => assertShown({ a: 1 }, { a: 1, b: 2 }))
    assert.throws(() => assertShown([1], [1, 2]))
  })
})
