import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { findReleaseMistakes } from '../../scripts/release/mistakes.ts'
import type { Release } from '../../scripts/release/mistakes.ts'

describe('the check of a release', () => {
  const release: Release = {
    tag: 'v0.2.0',
    manifest: { version: '0.2.0', repository: 'github:octavo/octavo' },
    changelog: '# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n- New.\n\n## 0.1.0\n\n- First.\n',
    typesOf: '0.2.0',
    siteOf: '0.2.0',
  }

  it('accepts a tag that is the version, with its part of the changelog', () => {
    assert.deepEqual(findReleaseMistakes(release), [])
    assert.deepEqual(
      findReleaseMistakes({ ...release, changelog: '# Changelog\n\n## 0.2.0\n\n- New.\n' }),
      [],
    )
  })

  const changelog = (text: string): Partial<Release> => ({ changelog: `# Changelog\n\n${text}` })
  const cases: readonly (readonly [title: string, change: Partial<Release>, mistakes: readonly RegExp[]])[] =
    [
      ['a tag of another version', { tag: 'v0.3.0' }, [/tag is v0\.3\.0.*tag the commit v0\.2\.0/]],
      ['a tag without v', { tag: '0.2.0' }, [/tag is 0\.2\.0/]],
      ['a package without repository', { manifest: { version: '0.2.0' } }, [/no repository/]],
      [
        'a changelog without the version',
        changelog('## Unreleased\n\n## 0.1.0\n\n- First.\n'),
        [/is 0\.1\.0/],
      ],
      ['a changelog without versions', changelog(''), [/is missing/]],
      ['a version without changes', changelog('## 0.2.0\n\n## 0.1.0\n\n- First.\n'), [/0\.2\.0 .*is empty/]],
      [
        'changes that are left behind',
        changelog('## Unreleased\n\n- Left.\n\n## 0.2.0\n\n- New.\n'),
        [/still has/],
      ],
      ['types of the version before', { typesOf: '0.1.0' }, [/npm run api -- --release/]],
      ['a site of the version before', { siteOf: '0.1.0' }, [/website\/versions\.ts/]],
    ]
  for (const [title, change, mistakes] of cases)
    it(`refuses ${title}`, () => {
      const found = findReleaseMistakes({ ...release, ...change })
      assert.equal(found.length, mistakes.length, found.join('\n'))
      for (const [index, mistake] of mistakes.entries()) assert.match(found[index] ?? '', mistake)
    })
})
