import { existsSync, statSync, watch, type FSWatcher } from 'node:fs'
import { dirname, join } from 'node:path'

/** Waits for changes of files. */
export interface Watcher {
  /** Watches a file, be it there or not, or everything directly in a folder. */
  readonly add: (path: string) => void
  /** Forgets all files but these. */
  readonly keep: (paths: ReadonlySet<string>) => void
  readonly size: () => number
  readonly close: () => void
}

/** Milliseconds in which nothing more changes: editors write in several steps, and tools many files. */
const QUIET = 60
/** Milliseconds between looks at files where the system does not tell of changes. */
const POLL = 500

/**
 * Creates a watcher. It watches folders, because editors replace files, and compares the state of files, so that it reports real changes
 * only. `node --watch` (20 to 26) is no replacement: it misses the second file that an editor renames into place and files that did not
 * exist, and waits forever for an app that ignores SIGTERM.
 */
export function createWatcher(onChange: (paths: readonly string[]) => void): Watcher {
  const stamps = new Map<string, string>()
  const folders = new Map<string, FSWatcher | undefined>()
  let quiet: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  const check = (): void => {
    const changed = [...stamps].filter(([path, stamp]) => stampOf(path) !== stamp).map(([path]) => path)
    for (const path of changed) {
      stamps.set(path, stampOf(path))
      // the folder may have come, or may be another one now
      watchFolder(path, true)
    }
    if (changed.length > 0) onChange(changed)
  }
  const soon = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(check, QUIET)
  }
  const fallBack = (): void => {
    poll ??= setInterval(check, POLL)
  }
  const watchFolder = (path: string, isAnew: boolean): void => {
    const folder = watchedFolder(path)
    if (folders.has(folder) && !isAnew) return
    folders.get(folder)?.close()
    folders.set(folder, watchOrPoll(folder, soon, fallBack))
  }
  return {
    add: (path) => {
      if (stamps.has(path)) return
      stamps.set(path, stampOf(path))
      watchFolder(path, false)
    },
    keep: (paths) => {
      for (const path of stamps.keys()) if (!paths.has(path)) stamps.delete(path)
      const needed = new Set([...paths].map(watchedFolder))
      for (const [folder, watcher] of folders) {
        if (needed.has(folder)) continue
        watcher?.close()
        folders.delete(folder)
      }
    },
    size: () => stamps.size,
    close: () => {
      clearTimeout(quiet)
      clearInterval(poll)
      for (const watcher of folders.values()) watcher?.close()
    },
  }
}

/** Watches a folder; where the system has no more watchers, or none, files are looked at from time to time. */
function watchOrPoll(folder: string, onEvent: () => void, fallBack: () => void): FSWatcher | undefined {
  try {
    return watch(folder, onEvent).on('error', fallBack)
  } catch {
    fallBack()
    return undefined
  }
}

/** The folder to watch for a path: itself when it is one, else the nearest above it that is there. */
function watchedFolder(path: string): string {
  if (statSync(join(path), { throwIfNoEntry: false })?.isDirectory() === true) return path
  let folder = dirname(path)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

/** Returns a text that differs if a file has changed. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'absent' : `${found.mtimeMs} ${found.size} ${found.ino}`
}
