import { isObject } from '../../base/values.ts'
import type { VersioningOptions } from '../../versioning/options.ts'
import { isScheme, type SchemeUse } from '../../versioning/schemes/scheme.ts'
import { toVersioning, type Versioning } from '../../versioning/versioning.ts'
import type { AnyVersioning } from '../options/versioning.ts'

/** The versioning of an application, as it was enabled. */
export interface Enabled {
  readonly versioning: Versioning
}

export function enableOption(option: AnyVersioning | undefined): Enabled | undefined {
  if (!option) return undefined
  const { scheme, schemes, ...common } = option
  return enable(scheme ?? schemes, common)
}

/** Applies options to a scheme, or to several with options of their own. @throws `TypeError` for anything but schemes. */
export function enable(given: unknown, options: VersioningOptions = {}): Enabled {
  return { versioning: toVersioning(toUses(given, options), options) }
}

/** One scheme with its options, or the schemes of a list with theirs. @throws `TypeError` for anything else. */
function toUses(given: unknown, options: object): readonly SchemeUse[] {
  if (!Array.isArray(given)) return [toUse([given, options])]
  if (given.length === 0) throw notScheme()
  return given.map(toUse)
}

function toUse(entry: unknown): SchemeUse {
  const [scheme, options = {}]: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  if (isScheme(scheme) && isObject(options)) return { scheme, options }
  throw notScheme()
}

function notScheme(): TypeError {
  return new TypeError(
    'enableVersioning: a scheme is one of VersioningSchemes or made by defineVersioningScheme; write several as [[scheme, options], …]',
  )
}
