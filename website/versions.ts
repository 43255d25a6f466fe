/** A version of the documentation. */
export interface DocsVersion {
  readonly name: string
  /** Where its pages are, from the root of the host. */
  readonly link: string
}

/**
 * The versions of the documentation, newest first. The first entry is this one. To keep the pages of a release, build its tag with
 * `SITE_BASE=/0.1/`, put them beside the others and add an entry such as `{ name: '0.1.0', link: '/0.1/' }`.
 */
export const VERSIONS: readonly [DocsVersion, ...DocsVersion[]] = [{ name: '0.1.0', link: '/' }]
