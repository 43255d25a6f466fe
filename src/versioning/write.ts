import type { Versioning, ActiveScheme } from './versioning.ts'
import type { RequestDraft } from './schemes/scheme.ts'

/** How a request asks for a version: what a scheme changes in it. */
export interface WrittenVersion {
  readonly scheme: ActiveScheme
  readonly change: Partial<RequestDraft>
}

/**
 * Writes a version into a request, as the first scheme that can does, or `undefined` if none can.
 *
 * @throws `TypeError` when the scheme would not read the version in the host that it writes.
 */
export function writeVersion(
  versioning: Versioning | undefined,
  version: string,
  draft: Partial<RequestDraft> & Pick<RequestDraft, 'path' | 'prefix'>,
): WrittenVersion | undefined {
  for (const scheme of versioning?.schemes ?? []) {
    const change = scheme.scheme.write?.(
      { query: {}, headers: {}, host: '', ...draft },
      version,
      scheme.options,
    )
    if (change !== undefined) return { scheme, change }
  }
  return undefined
}
