/** A release as the repository describes it. */
export interface Release {
  /** Such as `v0.2.0`. */
  readonly tag: string
  readonly manifest: { readonly version: string; readonly repository?: unknown }
  readonly changelog: string
  /** The version whose public types are kept in `test/api/released.json`. */
  readonly typesOf: string
  /** The version that the site shows first. */
  readonly siteOf: string
}

/** The heading and the text of each part of a changelog. */
function partsOf(changelog: string): readonly (readonly [heading: string, text: string])[] {
  return [...changelog.matchAll(/^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(
    ([, heading = '', text = '']) => [heading, text.trim()],
  )
}

/** Lists each reason not to publish a release, with the edit that removes it. */
export function findReleaseMistakes({
  tag,
  manifest,
  changelog,
  typesOf,
  siteOf,
}: Release): readonly string[] {
  const { version, repository } = manifest
  const parts = partsOf(changelog)
  const unreleased = parts.find(([heading]) => heading === 'Unreleased')
  const [newest] = parts.filter(([heading]) => heading !== 'Unreleased')
  const checks: readonly (readonly [isRight: boolean, mistake: string])[] = [
    [
      tag === `v${version}`,
      `The tag is ${tag}, and package.json has ${version}: tag the commit v${version}.`,
    ],
    [
      repository !== undefined,
      'package.json has no repository, with which npm compares the provenance: add its URL.',
    ],
    [
      newest?.[0] === version,
      `The newest part of CHANGELOG.md is ${newest?.[0] ?? 'missing'}: move the entries of "Unreleased" to "## ${version}".`,
    ],
    [newest?.[1] !== '', `The part ${version} of CHANGELOG.md is empty: say what is new.`],
    [
      (unreleased?.[1] ?? '') === '',
      `CHANGELOG.md still has entries under "Unreleased": move them to "## ${version}".`,
    ],
    [
      typesOf === version,
      `The public types are those of ${typesOf}: run npm run api -- --release and commit the file.`,
    ],
    [siteOf === version, `The site is that of ${siteOf}: put ${version} first in website/versions.ts.`],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, mistake]) => mistake)
}
