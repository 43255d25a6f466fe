/** Control characters, and marks that turn the direction of text or break lines: they make a name look like another one. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** The last segment of a path, without what cannot be seen; empty when it is no name. */
export function toBaseName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const plain = base.replaceAll(UNSEEN, '').trim()
  return /^\.*$/.test(plain) ? '' : plain
}

/** A version as the name of a file without extension: nothing that leads to another folder. */
export function versionFileName(version: string): string {
  return version.replaceAll(/[/\\:*?"<>|]|^\.+$/g, '-')
}
