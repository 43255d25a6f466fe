import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Declared, Surface } from './surface.ts'

const ROOT = join(import.meta.dirname, '../..')
const RELEASED = join(ROOT, 'test/api/released.json')

/** A hash of each export and each member, by the entry point and then by a name such as `AppOptions.logger`. */
export type Fingerprints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The public types of the last release. */
interface Released {
  readonly version: string
  readonly exports: Fingerprints
}

/** A difference from the last release. */
export interface Change {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly entry: string
  /** The export, its member as in `AppOptions.logger`, or none for the entry point itself. */
  readonly name: string | undefined
}

/** The fingerprints of everything that can be imported. */
export function toFingerprints(surface: Surface): Fingerprints {
  return Object.fromEntries(
    [...surface].map(([entry, declared]) => [
      entry,
      Object.fromEntries(declared.filter(({ isExported }) => isExported).flatMap(fingerprintsOf)),
    ]),
  )
}

function fingerprintsOf({ name, head, members }: Declared): readonly (readonly [string, string])[] {
  return [
    [name, toFingerprint(head)],
    ...[...members].map(([member, text]) => [`${name}.${member}`, toFingerprint(text)] as const),
  ]
}

/** Enough of a hash that a change is noticed. */
function toFingerprint(text: string): string {
  return createHash('sha256').update(text.replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 8)
}

/** Lists the differences between a release and now. Members of exports that are added or removed are not listed. */
export function compareFingerprints(before: Fingerprints, now: Fingerprints): readonly Change[] {
  const entries = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return entries.flatMap((entry): readonly Change[] => {
    const old = before[entry]
    const current = now[entry]
    if (old === undefined) return [{ kind: 'added', entry, name: undefined }]
    if (current === undefined) return [{ kind: 'removed', entry, name: undefined }]
    const names = [...new Set([...Object.keys(old), ...Object.keys(current)])]
    return names.flatMap((name): readonly Change[] => {
      if (old[name] === current[name]) return []
      const [exported = ''] = name.split('.')
      const isWhole = exported === name || (exported in old && exported in current)
      const kind = !(name in old) ? 'added' : name in current ? 'changed' : 'removed'
      return isWhole ? [{ kind, entry, name }] : []
    })
  })
}

/**
 * The changes that the part "Unreleased" of a changelog does not announce. An addition is announced by its name in code anywhere. A
 * change or removal needs its full name, such as `AppOptions.logger`, in an entry that begins with "Types:", because the short names
 * of many exports stand in entries about something else.
 */
export function findUnannounced(changes: readonly Change[], changelog: string): readonly Change[] {
  const [, unreleased = ''] = /^## Unreleased$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? []
  const entries = [...unreleased.matchAll(/^- Types: .*(?:\n {2}.*)*/gm)].map(([entry]) => entry)
  const names = codeOf(entries.join('\n'))
  const words = codeOf(unreleased).flatMap((code) => [code, ...(code.match(/[\w$]+/g) ?? [])])
  const isAnnounced = ({ kind, entry, name = entry }: Change): boolean =>
    names.includes(name) ||
    (kind === 'added' && [name, ...name.split('.')].some((each) => words.includes(each)))
  return changes.filter((change) => !isAnnounced(change))
}

function codeOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

/** Describes a change in a line: `octavo: AppOptions.logger was changed`. */
export function describeChange({ kind, entry, name }: Change): string {
  return name === undefined ? `${entry} was ${kind}` : `${entry}: ${name} was ${kind}`
}

/** The public types of the last release. */
export function readReleased(): Released {
  return JSON.parse(readFileSync(RELEASED, 'utf8')) as Released
}

/** Keeps the public types as those of a release. */
export function writeReleased(released: Released): void {
  writeFileSync(RELEASED, `${JSON.stringify(released, undefined, 2)}\n`)
}
