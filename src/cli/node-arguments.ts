import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { failure } from './failure.ts'
import type { AppModule } from './find-app.ts'

/**
 * What Node is given so that it can run the module of an application: nothing for JavaScript; for TypeScript tsx, where the project has
 * it, else nothing where Node takes the types off by itself.
 *
 * @throws `CommandError` when nothing can run TypeScript.
 */
export function nodeArguments({ file, label }: AppModule, cwd: string): readonly string[] {
  // a debugger of this process has its port
  const own = process.execArgv.filter((argument) => !argument.startsWith('--inspect'))
  if (file === undefined) return [...own, '--experimental-import-meta-resolve']
  if (!/\.[cm]?tsx?$/.test(file) || own.some(isTsx) || isTsx(process.env['NODE_OPTIONS'] ?? '')) return own
  const tsx = findTsx(file) ?? findTsx(join(cwd, 'package.json'))
  if (tsx !== undefined) return [...own, '--import', pathToFileURL(tsx).href]
  const strips: unknown = Reflect.get(process.features, 'typescript')
  if (typeof strips === 'string') return own
  throw failure(
    `${label} is TypeScript, which Node ${process.versions.node} does not run by itself`,
    'install tsx: npm install --save-dev tsx',
    'or use Node 22.18 or later',
  )
}

/** The loader of tsx as a file sees it. */
function findTsx(from: string): string | undefined {
  try {
    return createRequire(from).resolve('tsx')
  } catch {
    return undefined
  }
}

function isTsx(argument: string): boolean {
  return /(^|[/\\\s=])tsx($|[/\\\s])/.test(argument)
}
