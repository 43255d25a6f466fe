import type { Presented } from './answer.ts'

/** How a browser takes a file: shown in its window, or saved. */
export type Disposition = 'inline' | 'attachment'

/** What `file` takes besides the file. */
export interface FileOptions extends Presented {
  /** The name under which browsers save the file; of a path, its last part counts. @default the address of the page */
  readonly filename?: string
  /** Whether browsers show the file or save it. @default 'attachment' with a `filename`, else it is not said */
  readonly disposition?: Disposition
  /**
   * The folder that a relative path starts in and nothing is read outside of. To be given whenever a part of the
   * path comes from a request.
   */
  readonly root?: string | URL
  /** Whether names below `root` that begin with a dot are found. @default 'ignore' */
  readonly dotfiles?: 'allow' | 'ignore'
  /** Whether links may lead out of `root`. @default false */
  readonly followLinks?: boolean
  /** The entity tag, with its quotes; `false` for none. @default made of size, time and path, or of the bytes; blobs have none */
  readonly etag?: string | false
  /** When the content changed last. @default as the file system or the `File` says */
  readonly lastModified?: Date
}
