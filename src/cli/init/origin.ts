import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/**
 * The packed file that this package was installed from by npm, as a project in `folder` names it. `undefined` for what came from a
 * registry, is linked, or was installed from a file that is no longer there.
 */
export function packedOrigin(main: string, folder: string): string | undefined {
  // node_modules/octavo/dist/cli/main.js
  const modules = resolve(dirname(main), '../../..')
  try {
    const lock: unknown = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
    const entry: unknown = Reflect.get(Object(Reflect.get(Object(lock), 'packages')), 'node_modules/octavo')
    const resolved: unknown = Reflect.get(Object(entry), 'resolved')
    if (typeof resolved !== 'string' || !resolved.startsWith('file:')) return undefined
    const file = resolve(dirname(modules), resolved.slice('file:'.length))
    return existsSync(file) ? `file:${relative(folder, file).split(sep).join('/')}` : undefined
  } catch {
    return undefined
  }
}
