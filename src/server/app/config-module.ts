import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { errnoOf } from '../../base/values.ts'
import { configFailed, MEND } from './config-failed.ts'

/**
 * Imports the module of the settings.
 *
 * @throws {@link DefinitionError} if it cannot be found or throws
 */
export async function loadConfigModule(specifier: string): Promise<object> {
  try {
    // an absolute URL: only that means the same from here as from the working directory
    const exported: object = await import(locateModule(specifier))
    return exported
  } catch (cause) {
    const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(errnoOf(cause) ?? '')
    const fix = isMissing
      ? 'give a path relative to the working directory or an installed package, and check its imports'
      : MEND
    throw configFailed(`the module "${specifier}"`, cause, fix)
  }
}

/** The URL of a module, as seen from the working directory. */
function locateModule(specifier: string): string {
  // a drive letter is no scheme
  if (/^[a-z][a-z+.-]+:/i.test(specifier)) return specifier
  const path = resolve(specifier)
  return isAbsolute(specifier) ||
    /^\.\.?(?:[/\\]|$)/.test(specifier) ||
    existsSync(path) ||
    // loaders of TypeScript read `app.ts` where `app.js` is asked for
    existsSync(path.replace(/\.([cm]?)js$/, '.$1ts'))
    ? pathToFileURL(path).href
    : locatePackage(specifier)
}

function locatePackage(specifier: string): string {
  try {
    return pathToFileURL(createRequire(resolve('package.json')).resolve(specifier)).href
  } catch {
    // a package for `import` alone cannot be resolved from another place than this file
    return import.meta.resolve(specifier)
  }
}
