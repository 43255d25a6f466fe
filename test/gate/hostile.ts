import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

import { documentOf, string } from './support.ts'
import { InputError, diff, readArguments } from '../inside/tools.ts'

const cwd = mkdtempSync(join(tmpdir(), 'octavo-hostile-'))
after(() => rmSync(cwd, { recursive: true, force: true }))

const setting = { main: '', cwd, manifest: { version: '0', peerDependencies: {}, devDependencies: {} } }
writeFileSync(join(cwd, 'plain.json'), JSON.stringify(documentOf({ request: string })))
mkdirSync(join(cwd, 'folder.json'))

/** What the command says of a file that it compares with a plain one, on either side. */
export async function tell(content: string | Uint8Array, name = 'given.json'): Promise<readonly string[]> {
  writeFileSync(join(cwd, name), content)
  return tellOf(name)
}

export async function tellOf(name: string): Promise<readonly string[]> {
  const said: string[] = []
  for (const pair of [
    ['plain.json', name],
    [name, 'plain.json'],
    [name, name],
  ])
    try {
      await diff.run(readArguments(pair, diff), setting)
    } catch (error) {
      assert.ok(error instanceof InputError, String(error))
      assert.equal(error.exitCode, 2)
      assert.deepEqual(error.hints, error.message.endsWith('file not found') ? ['check the path'] : [])
      assert.doesNotMatch(error.message, /\n|    at |call stack/)
      said.push(error.message)
    }
  return said
}

/** The text of a document with a schema as text. */
export const withSchema = (schema: string, components = '{}'): string =>
  JSON.stringify(documentOf({ request: 0 }))
    .replace('"schema":0', `"schema":${schema}`)
    .replace('"components":{"schemas":{}}', `"components":{"schemas":${components}}`)
