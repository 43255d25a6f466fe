import { toPlainJson } from '../src/gate/json.ts'
import { toDigest } from '../src/gate/snapshot/folder.ts'
import { toFileNames, toKeptText } from '../src/gate/snapshot/snapshot-index.ts'
import { createBooksApp } from '../src/cli/init/template/src/app.ts'

/** The files of `octavo snapshot` for the app of the template, by their names. `octavo init` fills in the day. */
export async function toTemplateSnapshots(): Promise<Readonly<Record<string, string>>> {
  const app = createBooksApp({ logger: false })
  await app.ready()
  const toFileName = toFileNames(app.versions())
  const kept = app.versions().map(({ version }) => {
    const text = toKeptText(toPlainJson(app.openapi({ version })))
    return { version, name: toFileName({ version }), text }
  })
  await app.close()
  const versions = kept.map(({ version, text }) => ({ version, sha256: toDigest(text), at: '{{today}}' }))
  return {
    ...Object.fromEntries(kept.map(({ name, text }) => [name, text])),
    'index.json': `${JSON.stringify({ versions }, undefined, 2)}\n`,
  }
}
