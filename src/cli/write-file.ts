import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

import { failure, say, sayStyle } from './command.ts'
import { messageOf } from '../base/values.ts'

/**
 * Replaces a file atomically, and only if its text changes. Returns whether it changed.
 *
 * @throws `CommandError` when it cannot be written.
 */
export async function writeWhole(path: string, text: string): Promise<boolean> {
  if ((await readText(path)) === text) return false
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}`)
  try {
    await mkdir(folder, { recursive: true })
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    return true
  } catch (error) {
    await rm(temporary, { force: true })
    throw failure(`${path} cannot be written: ${messageOf(error)}`)
  }
}

/** Replaces a file like `writeWhole`, and reports it. */
export async function writeAndSay(path: string, text: string, cwd: string): Promise<void> {
  const { green, dim } = sayStyle()
  const name = relative(cwd, path)
  say((await writeWhole(path, text)) ? `${green('Wrote')} ${name}` : dim(`${name} is up to date`))
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
