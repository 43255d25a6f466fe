import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import * as octavo from 'octavo'

import { toTemplateSnapshots } from '../../scripts/template-snapshots.ts'

const ROOT = join(import.meta.dirname, '../..')
const TEMPLATE = join(ROOT, 'src/cli/init/template')
const FOLDER = join(TEMPLATE, 'api')

describe('the documents of the template', () => {
  it('is what npm run check -- template writes', async () => {
    const written = await toTemplateSnapshots()
    assert.deepEqual(readdirSync(FOLDER).toSorted(), Object.keys(written).toSorted())
    for (const [name, text] of Object.entries(written))
      assert.equal(readFileSync(join(FOLDER, name), 'utf8'), text, name)
  })
})

/** The code of a page: spans, and the lines of its shell commands. */
function toSpans(text: string): readonly string[] {
  const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) =>
    code.trim().split(/\n| && /),
  )
  const spans = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)
  return [...lines, ...[...spans].map(([, code = '']) => code)]
}

describe('AGENTS.md of the template', () => {
  const text = readFileSync(join(TEMPLATE, 'AGENTS.md'), 'utf8')
  const spans = toSpans(text)
  const found = (pattern: RegExp): readonly string[] => spans.flatMap((code) => pattern.exec(code)?.[1] ?? [])

  it('is short', () => assert.ok(text.split('\n').length <= 60))
  it('has commands that a project has', () => {
    const { scripts } = JSON.parse(readFileSync(join(TEMPLATE, '_package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const names = found(/^npm (?:run )?(\w+)$/)
    assert.ok(names.length > 4)
    for (const name of names) assert.ok(Object.hasOwn(scripts, name), name)
    assert.deepEqual(
      [...new Set(found(/^npx octavo (.+)$/))],
      ['check --strict', 'check --write', 'release 3 --snapshot'],
    )
  })
  it('names files and pages that exist', () => {
    const files = found(/^((?:src|test)\/[\w-]+\.ts)$/)
    assert.ok(files.length > 2)
    for (const file of files) assert.ok(existsSync(join(TEMPLATE, file)), file)
    const links = [...text.matchAll(/node_modules\/octavo\/([\w/.-]+\w)/g)].map(([, path = '']) => path)
    assert.deepEqual(links, ['llms.txt', 'llms.txt', 'docs/guide', 'docs/errors.md', 'skills'])
    const { files: packed } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const path of links) assert.ok(packed.includes(path) && existsSync(join(ROOT, path)), path)
  })
  it('names functions that octavo exports', () => {
    const names = found(/^(define\w+)$/)
    assert.deepEqual(names, ['defineProblem'])
    for (const name of names) assert.ok(Object.hasOwn(octavo, name), name)
  })
})

describe('the skills', () => {
  const SKILLS = join(ROOT, 'skills')
  for (const name of readdirSync(SKILLS)) {
    const text = readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')
    it(`${name} is short and says when to use it`, () => {
      assert.ok(text.split('\n').length <= 150)
      assert.match(text, new RegExp(`^---\nname: ${name}\ndescription: .{40,500}\n---\n\n# `))
    })
    it(`${name} ends with a command that proves the work`, () => {
      assert.match(text, /\n## Prove it\n[^#]*\n```sh\n(?:npx|npm) [^#]*\n```\n$/)
    })
    it(`${name} names pages that exist`, () => {
      for (const [, page = ''] of text.matchAll(/node_modules\/octavo\/(docs\/[\w/.-]+\.md)/g))
        assert.ok(existsSync(join(ROOT, page)), page)
    })
  }
})

describe('llms.txt', () => {
  it('is short enough for an agent to read it whole', () =>
    assert.ok(statSync(join(ROOT, 'llms.txt')).size <= 17_000))
})
