import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

import { failure, say, sayStyle } from './command.ts'
import { messageOf } from '../base/values.ts'

/** A file to write, or to remove if it has no text. */
export interface FileText {
  readonly path: string
  readonly text: string | undefined
}

/** A file whose text changes, with the text that it had and the file that replaces it. */
interface Staged extends FileText {
  readonly before: string | undefined
  readonly temporary: string
}

/**
 * Replaces files: all of them or, if one cannot be written, none. A file whose text stays is not touched. Returns the paths of those that
 * changed.
 *
 * @throws `CommandError` for a file that cannot be written.
 */
export async function writeFiles(files: readonly FileText[]): Promise<ReadonlySet<string>> {
  const staged: Staged[] = []
  for (const { path, text } of files) {
    const before = await readText(path)
    const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
    if (before !== text) staged.push({ path, text, before, temporary })
  }
  const replaced: Staged[] = []
  try {
    for (const { path, text, temporary } of staged)
      if (text !== undefined) await attempt(path, () => stage(temporary, text))
    for (const file of staged) {
      replaced.push(file)
      await attempt(file.path, () => replace(file))
    }
  } catch (error) {
    for (const { path, before } of replaced.slice(0, -1)) await restore(path, before)
    for (const { temporary } of staged) await rm(temporary, { force: true })
    throw error
  }
  return new Set(staged.map(({ path }) => path))
}

/** Replaces files like `writeFiles`, and reports each that has a text. */
export async function writeAndSay(files: readonly FileText[], cwd: string): Promise<void> {
  const changed = await writeFiles(files)
  const { green, dim } = sayStyle()
  for (const { path, text } of files) {
    const name = relative(cwd, path)
    if (text !== undefined)
      say(changed.has(path) ? `${green('Wrote')} ${name}` : dim(`${name} is up to date`))
  }
}

async function stage(temporary: string, text: string): Promise<void> {
  await mkdir(dirname(temporary), { recursive: true })
  const file = await open(temporary, 'wx')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function replace({ path, text, temporary }: Staged): Promise<void> {
  return text === undefined ? rm(path, { force: true }) : rename(temporary, path)
}

/** Restores the text of a file. A failure is ignored, because the command is about to fail with the first one. */
async function restore(path: string, before: string | undefined): Promise<void> {
  const again = `${path}.${randomUUID()}`
  try {
    if (before === undefined) return await rm(path, { force: true })
    await stage(again, before)
    await rename(again, path)
  } catch {
    await rm(again, { force: true })
  }
}

async function attempt(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    throw failure(`${path} cannot be written: ${messageOf(error)}`)
  }
}

/** The text of a file, or `undefined` if there is none. @throws `CommandError` for what cannot be read. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return undefined
    throw failure(`${path} cannot be read: ${messageOf(error)}`)
  }
}
