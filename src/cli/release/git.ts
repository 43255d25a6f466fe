import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The files with changes that are not committed, none without git. */
export async function uncommitted(files: readonly string[], cwd: string): Promise<readonly string[]> {
  const all = await Promise.all(
    files.map(async (file) => ((await git(['status', '--porcelain', '--', file], cwd)) === '' ? [] : [file])),
  )
  return all.flat()
}

/** Whether git ignores a file, because something makes it. */
export async function isIgnored(file: string, cwd: string): Promise<boolean> {
  return (await git(['check-ignore', '--', file], cwd)) !== ''
}

/** Returns the output of git; an empty text if it fails, as where there is no repository. */
async function git(args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await run('git', [...args], { cwd, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } })
    return stdout.trim()
  } catch {
    return ''
  }
}
