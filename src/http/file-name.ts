/** Control characters, and marks that turn the direction of text or break lines: they make a name look like another one. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** The last segment of a path, without what cannot be seen; empty when it is no name. */
export function toBaseName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const plain = base.replaceAll(UNSEEN, '').trim()
  return /^\.*$/.test(plain) ? '' : plain
}

/** Characters that lead to another folder or that a file system refuses, and the sign that escapes them. */
const UNSAFE = /[/\\:*?"<>|%\p{Cc}]|(?<!\.)\.+$/gu
/** Those, and every character that has another case or form. */
const VARIABLE = /[/\\:*?"<>|%\p{Cc}A-Za-z]|\P{ASCII}|(?<!\.)\.+$/gu
/** Names of devices in Windows, which have no files. */
const DEVICE = /^(?:aux|con|nul|prn|com\d|lpt\d)(?:\.|$)/

/**
 * Names files after versions, without an extension. Unsafe characters are percent-encoded. So are the letters of versions that a file system
 * could not tell apart, because it ignores case or normalises Unicode, and of those whose name is reserved.
 */
export function versionFileNames(
  versions: readonly string[],
  reserved: readonly string[] = [],
): (version: string) => string {
  const keys = [...new Set(versions)].map(fileNameKey)
  return (version) => {
    const key = fileNameKey(version)
    const isTaken =
      reserved.includes(key) || DEVICE.test(key) || keys.filter((each) => each === key).length > 1
    return version.replaceAll(isTaken ? VARIABLE : UNSAFE, percentEncode)
  }
}

/** The same text for all names that a file system may take for one. */
function fileNameKey(version: string): string {
  return version.replaceAll(UNSAFE, percentEncode).normalize().toLowerCase()
}

function percentEncode(text: string): string {
  const bytes = [...new TextEncoder().encode(text)]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
