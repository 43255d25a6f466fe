import type * as NodeZlib from 'node:zlib'

/** The content codings that responses may have. */
export const ENCODINGS = ['br', 'zstd', 'gzip'] as const

/** A content coding (RFC 9110 section 8.4.1). */
export type ContentEncoding = (typeof ENCODINGS)[number]

/** How hard each coding tries. */
export type CompressionLevels = Readonly<Record<ContentEncoding, number>>

/** A stream that compresses what is written to it. */
export type Compressor = NodeZlib.BrotliCompress | NodeZlib.Gzip

/** A content coding as node:zlib has it. */
export interface Coding {
  readonly name: ContentEncoding
  /** Compresses a whole content, away from the event loop. */
  readonly compress: (content: Uint8Array) => Promise<Uint8Array>
  readonly open: () => Compressor
  /** Has a stream give out all that it holds. */
  readonly flush: (compressor: Compressor) => void
}

type Zlib = typeof NodeZlib

/** Members of newer versions of node:zlib. */
interface Zstd {
  readonly zstdCompress: Zlib['brotliCompress']
  readonly createZstdCompress: Zlib['createBrotliCompress']
}

/** Of `zstd.h`; the types of node:zlib do not have them yet. */
const ZSTD_LEVEL = 100
const ZSTD_FLUSH = 1

/** The codings of these names in their order, without those that this version of Node lacks. */
export function createCodings(
  names: readonly ContentEncoding[],
  levels: CompressionLevels,
): readonly Coding[] {
  // loaded when the application is built, not with Octavo
  const zlib = process.getBuiltinModule('node:zlib')
  return names.flatMap((name) => CREATE[name](zlib, levels[name]))
}

const CREATE: Readonly<Record<ContentEncoding, (zlib: Zlib, level: number) => readonly Coding[]>> = {
  br: (zlib, level) => {
    const { constants } = zlib
    const params = { [constants.BROTLI_PARAM_QUALITY]: level }
    // half a megabyte for each open stream, rather than four
    const ofStream = { ...params, [constants.BROTLI_PARAM_LGWIN]: 19 }
    return [
      {
        name: 'br',
        compress: (content) =>
          settle((done) => {
            const ofContent = { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength }
            zlib.brotliCompress(content, { params: ofContent }, done)
          }),
        open: () => zlib.createBrotliCompress({ params: ofStream }),
        flush: (compressor) => compressor.flush(constants.BROTLI_OPERATION_FLUSH),
      },
    ]
  },
  zstd: (zlib, level) => {
    if (!hasZstd(zlib)) return []
    const options = { params: { [ZSTD_LEVEL]: level } }
    return [
      {
        name: 'zstd',
        compress: (content) => settle((done) => zlib.zstdCompress(content, options, done)),
        open: () => zlib.createZstdCompress(options),
        flush: (compressor) => compressor.flush(ZSTD_FLUSH),
      },
    ]
  },
  gzip: (zlib, level) => [
    {
      name: 'gzip',
      compress: (content) => settle((done) => zlib.gzip(content, { level }, done)),
      open: () => zlib.createGzip({ level }),
      flush: (compressor) => compressor.flush(zlib.constants.Z_SYNC_FLUSH),
    },
  ],
}

function hasZstd(zlib: object): zlib is Zstd {
  return 'zstdCompress' in zlib && 'createZstdCompress' in zlib
}

function settle(run: (done: (error: Error | null, result: Uint8Array) => void) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    run((error, result) => (error === null ? resolve(result) : reject(error)))
  })
}
