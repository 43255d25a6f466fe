/** Versions longer than this are never parsed, logged or echoed whole. */
export const MAX_VERSION_LENGTH = 64

/** As much of a version, or of what was taken for one, as is worth repeating. */
export function cutVersion(text: string): string {
  return text.slice(0, MAX_VERSION_LENGTH)
}
