import type { Presented } from './answer.ts'

/** Whether a browser shows a file or saves it. */
export type Disposition = 'inline' | 'attachment'

/** The options of `file`. */
export interface FileOptions extends Presented {
  /** The name under which browsers save the file. Only the last part of a path counts. @default the address of the page */
  readonly filename?: string
  /** Whether browsers show the file or save it. @default 'attachment' with a `filename`, else it is not said */
  readonly disposition?: Disposition
  /** The folder that a relative path starts in. No file outside of it is read. Pass it whenever a part of the path comes from a request. */
  readonly root?: string | URL
  /** Whether names below `root` that begin with a dot are found. @default 'ignore' */
  readonly dotfiles?: 'allow' | 'ignore'
  /** Whether links may lead out of `root`. @default false */
  readonly followLinks?: boolean
  /** The entity tag with its quotes, or `false` for none. @default made of size, time and path, or of the bytes; blobs have none */
  readonly etag?: string | false
  /** When the content changed last. @default as the file system or the `File` says */
  readonly lastModified?: Date
}
