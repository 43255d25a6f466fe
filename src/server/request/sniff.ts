/** How many bytes at the start of a file are looked at (WHATWG MIME Sniffing standard, section 5.2). */
export const SNIFFED_BYTES = 1445

/** The beginning of files of some types. */
interface Signature {
  /** The bytes in hexadecimal from `at` on; `..` is any byte. */
  readonly bytes: string
  readonly at?: number
  /** The types that such a file may be declared as; the first is its type when it is declared as none of them. */
  readonly types: string
}

/**
 * Sections 6 and 7 of the standard, the names that are in use beside those of the standard, and programs, which are often what is
 * renamed. MP3 without tag is told by its first frame header alone.
 */
const SIGNATURES: readonly Signature[] = [
  { bytes: '00000100', types: 'image/x-icon image/vnd.microsoft.icon' },
  { bytes: '00000200', types: 'image/x-icon image/vnd.microsoft.icon' },
  { bytes: '424d', types: 'image/bmp image/x-ms-bmp' },
  { bytes: '474946383761', types: 'image/gif' },
  { bytes: '474946383961', types: 'image/gif' },
  { bytes: '52494646........574542505650', types: 'image/webp' },
  { bytes: '89504e470d0a1a0a', types: 'image/png image/apng' },
  { bytes: 'ffd8ff', types: 'image/jpeg image/jpg image/pjpeg' },
  { bytes: '49492a00', types: 'image/tiff' },
  { bytes: '4d4d002a', types: 'image/tiff' },
  { bytes: '6674797061766966', at: 4, types: 'image/avif' },
  { bytes: '6674797061766973', at: 4, types: 'image/avif' },
  { bytes: '6674797068656963', at: 4, types: 'image/heic image/heif' },
  { bytes: '667479706d696631', at: 4, types: 'image/heif image/heic image/avif' },
  { bytes: '464f524d........41494646', types: 'audio/aiff audio/x-aiff' },
  { bytes: '494433', types: 'audio/mpeg audio/mp3' },
  { bytes: 'fffb', types: 'audio/mpeg audio/mp3' },
  { bytes: 'fff3', types: 'audio/mpeg audio/mp3' },
  { bytes: '4f67675300', types: 'application/ogg audio/ogg video/ogg audio/opus' },
  { bytes: '4d54686400000006', types: 'audio/midi audio/x-midi' },
  { bytes: '664c6143', types: 'audio/flac audio/x-flac' },
  { bytes: '52494646........41564920', types: 'video/avi video/x-msvideo video/vnd.avi' },
  { bytes: '52494646........57415645', types: 'audio/wave audio/wav audio/x-wav audio/vnd.wave' },
  { bytes: '6674797071742020', at: 4, types: 'video/quicktime' },
  {
    bytes: '66747970',
    at: 4,
    types: 'video/mp4 audio/mp4 audio/x-m4a video/x-m4v video/3gpp application/mp4',
  },
  { bytes: '1a45dfa3', types: 'video/webm audio/webm video/x-matroska audio/x-matroska' },
  { bytes: '00010000', types: 'font/ttf application/font-sfnt application/x-font-ttf' },
  { bytes: '4f54544f', types: 'font/otf application/font-sfnt application/x-font-opentype' },
  { bytes: '74746366', types: 'font/collection' },
  { bytes: '774f4646', types: 'font/woff application/font-woff' },
  { bytes: '774f4632', types: 'font/woff2' },
  { bytes: '4c50', at: 34, types: 'application/vnd.ms-fontobject' },
  { bytes: '1f8b08', types: 'application/gzip application/x-gzip' },
  { bytes: '504b0304', types: 'application/zip application/x-zip-compressed' },
  { bytes: '504b0506', types: 'application/zip application/x-zip-compressed' },
  { bytes: '526172211a07', types: 'application/vnd.rar application/x-rar-compressed' },
  { bytes: '377abcaf271c', types: 'application/x-7z-compressed' },
  { bytes: '255044462d', types: 'application/pdf' },
  { bytes: '252150532d41646f62652d', types: 'application/postscript' },
  { bytes: '4d5a', types: 'application/vnd.microsoft.portable-executable application/x-msdownload' },
  { bytes: '7f454c46', types: 'application/x-elf application/x-executable' },
  { bytes: 'cffaedfe', types: 'application/x-mach-binary' },
  { bytes: 'cafebabe', types: 'application/java-vm' },
]

const TABLE = SIGNATURES.map(({ bytes, at = 0, types }) => ({
  at,
  bytes: (bytes.match(/../g) ?? []).map((byte) => (byte === '..' ? undefined : Number.parseInt(byte, 16))),
  types: types.split(' '),
}))

/** Every type that has a signature: a file without it is of another type. */
const SIGNED: ReadonlySet<string> = new Set(TABLE.flatMap(({ types }) => types))

/** Formats that wrap others: documents are zip files, compressed images are gzip files. */
const CONTAINERS: ReadonlySet<string> = new Set(['application/zip', 'application/gzip'])

/** Types of text; all others may be anything. */
const TEXT =
  /^text\/|^application\/(?:json|xml|javascript|ecmascript|sql|rtf|x-ndjson|yaml|toml)$|[+](?:json|xml|yaml)$/

const UNKNOWN = 'application/octet-stream'

/**
 * Detects the type of a file from its first bytes. Types without a signature, such as text, and documents that are zip files keep their
 * declared type unless the content contradicts it.
 *
 * @param start its first {@link SNIFFED_BYTES} bytes, or all of a shorter one
 */
export function sniffType(start: Uint8Array, declared: string): string {
  const found = TABLE.find(({ bytes, at }) =>
    bytes.every((byte, index) =>
      byte === undefined ? at + index < start.length : start[at + index] === byte,
    ),
  )
  if (found === undefined) {
    const isKnown = SIGNED.has(declared)
    if (looksLikeText(start)) return isKnown ? 'text/plain' : declared
    return isKnown || TEXT.test(declared) ? UNKNOWN : declared
  }
  const [type = UNKNOWN] = found.types
  if (found.types.includes(declared)) return declared
  // text may begin with any letters
  if (TEXT.test(declared) && looksLikeText(start)) return declared
  const mayWrap = declared.startsWith('application/') && declared !== UNKNOWN && !SIGNED.has(declared)
  return mayWrap && CONTAINERS.has(type) ? declared : type
}

/** Whether nothing in the bytes says that they are no text (section 7.2 of the standard). */
function looksLikeText(start: Uint8Array): boolean {
  const [first, second] = start
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return true
  return !start.some(
    (byte) =>
      byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  )
}
