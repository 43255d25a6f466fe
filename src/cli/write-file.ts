import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

import { failure, say, sayStyle } from './command.ts'
import { messageOf } from '../base/values.ts'

/** A file to write, or to remove if it has no text. */
export interface FileText {
  readonly path: string
  readonly text: string | undefined
}

/** A file whose text changes, with the text and mode that it had and the file that replaces it. */
interface Staged extends FileText {
  /** The file itself, if `path` is a link to it. */
  readonly target: string
  readonly before: string | undefined
  readonly mode: number | undefined
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
    const before = await readFileText(path)
    if (before === text) continue
    const target = before === undefined || text === undefined ? path : await realpath(path)
    const mode = before === undefined ? undefined : (await stat(target)).mode
    const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
    staged.push({ path, text, target, before, mode, temporary })
  }
  const replaced: Staged[] = []
  try {
    for (const { path, text, temporary, mode } of staged)
      if (text !== undefined) await failForPath(path, () => stage(temporary, text, mode))
    for (const file of staged) {
      replaced.push(file)
      await failForPath(file.path, () =>
        file.text === undefined ? rm(file.target, { force: true }) : rename(file.temporary, file.target),
      )
    }
  } catch (error) {
    for (const file of replaced.slice(0, -1)) await restore(file)
    for (const { temporary } of staged) await rm(temporary, { force: true })
    throw error
  }
  return new Set(staged.map(({ path }) => path))
}

/**
 * Replaces files like `writeFiles`, and checks the app with them. If the check fails or throws, the files become what they were.
 * Returns whether they stay.
 */
export async function writeChecked(
  files: readonly (FileText & { readonly before: string | undefined })[],
  check: () => Promise<boolean>,
  onRestored: () => void,
): Promise<boolean> {
  await writeFiles(files)
  let isGood = false
  try {
    isGood = await check()
  } finally {
    if (!isGood) {
      await writeFiles(files.map(({ path, before }) => ({ path, text: before })))
      onRestored()
    }
  }
  return isGood
}

/** A file as JSON: its path from the working directory, and the result. */
export interface WrittenFile {
  readonly file: string
  /** `current` is up to date. A check finds `missing` and `outdated` files. */
  readonly state: 'written' | 'current' | 'missing' | 'outdated' | 'removed'
}

/** Replaces files like `writeFiles`, and reports each that has a text. */
export async function writeAndSay(files: readonly FileText[], cwd: string): Promise<readonly WrittenFile[]> {
  const changed = await writeFiles(files)
  const { green, dim } = sayStyle()
  return files.flatMap(({ path, text }): readonly WrittenFile[] => {
    const file = relative(cwd, path)
    if (text === undefined) return []
    say(changed.has(path) ? `${green('Wrote')} ${file}` : dim(`${file} is up to date`))
    return [{ file, state: changed.has(path) ? 'written' : 'current' }]
  })
}

async function stage(temporary: string, text: string, mode: number | undefined): Promise<void> {
  await mkdir(dirname(temporary), { recursive: true })
  const file = await open(temporary, 'wx')
  try {
    await file.writeFile(text)
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Restores the text of a file. A failure is ignored, because the command is about to fail with the first one. */
async function restore({ target, before, mode }: Staged): Promise<void> {
  const again = `${target}.${randomUUID()}`
  try {
    if (before === undefined) return await rm(target, { force: true })
    await stage(again, before, mode)
    await rename(again, target)
  } catch {
    await rm(again, { force: true })
  }
}

async function failForPath(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    throw failure(`${path} cannot be written: ${messageOf(error)}`)
  }
}

/** The text of a file, or `undefined` if there is none. @throws `CommandError` for what cannot be read. */
export async function readFileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return undefined
    throw failure(`${path} cannot be read: ${messageOf(error)}`)
  }
}
