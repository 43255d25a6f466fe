import { toBaseName } from '../file-name.ts'

/** How a browser takes a file: shown in its window, or saved. */
export type Disposition = 'inline' | 'attachment'

/**
 * The value of `Content-Disposition` (RFC 6266). The name keeps nothing of a path and nothing that cannot be seen; one that is not
 * plain ASCII is sent twice, percent-encoded for those who read RFC 8187, and with `_` in the place of all else.
 *
 * @example
 * toDisposition('attachment', 'naïve.pdf') // → `attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf`
 */
export function toDisposition(disposition: Disposition, filename: string): string {
  const name = toBaseName(filename).replaceAll(/\p{Surrogate}/gu, '\ufffd') || 'download'
  // a quote, a backslash or a percent sign is read in different ways (RFC 6266 appendix D)
  const plain = name.replaceAll(/[^\u0020-\u007e]|["\\%]/gu, '_')
  const full = plain === name ? '' : `; filename*=UTF-8''${toExtended(name)}`
  return `${disposition}; filename="${plain}"${full}`
}

/** Percent-encodes what RFC 8187 does not let stand. */
function toExtended(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
