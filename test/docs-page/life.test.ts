import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { PageInfo, VersionPolicy } from 'octavo'

import { withoutPackage } from '../support/without-package.ts'
import { createCars } from './support.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')

/** The page of an application whose first version has a policy. */
async function show(policy: VersionPolicy, url = '/docs?version=1', now = NOW): Promise<string> {
  const app = createCars({}, '2')
  app.enableVersioning(VersioningSchemes.URL, {
    defaultVersion: '2',
    clock: () => now,
    versions: { '1': policy },
  })
  return (await app.inject(url)).body
}

/** The note of the version that is shown without tags; `undefined` when there is none. */
const noteOf = (html: string): string | undefined =>
  /<aside class="note" data-status="[a-z]+" [^>]*>(.*)<\/aside>/.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '')

const cases: readonly (readonly [string, VersionPolicy, string | undefined])[] = [
  ['without a policy', {}, undefined],
  ['deprecated', { deprecated: true }, 'Version 1 is deprecated.'],
  ['deprecated since a day', { deprecated: '2026-01-01' }, 'Version 1 is deprecated since 2026-01-01.'],
  [
    'to be deprecated at a moment',
    { deprecated: '2026-07-01T09:30:00Z' },
    'Version 1 will be deprecated on 2026-07-01 09:30 UTC.',
  ],
  [
    'with a sunset to come',
    { deprecated: '2026-01-01', sunset: '2026-12-31' },
    'Version 1 is deprecated since 2026-01-01. Its sunset is on 2026-12-31.',
  ],
  ['with a sunset alone', { sunset: '2026-12-31' }, 'The sunset of version 1 is on 2026-12-31.'],
  [
    'after its sunset',
    { deprecated: '2026-01-01', sunset: '2026-06-01' },
    'The sunset of version 1 was on 2026-06-01. It may stop answering.',
  ],
  [
    'with brownouts, of which it says the next',
    {
      sunset: '2026-12-31',
      brownouts: [
        { from: '2026-09-01T10:00Z', to: '2026-09-01T11:00Z' },
        { from: '2026-08-01T10:00Z', to: '2026-08-01T11:00Z' },
        { from: '2026-01-01', to: '2026-01-02' },
      ],
    },
    'The sunset of version 1 is on 2026-12-31. It does not answer from 2026-08-01 10:00 UTC to 2026-08-01 11:00 UTC.',
  ],
  [
    'retired',
    { deprecated: '2026-01-01', sunset: '2026-06-01', retired: 'gone' },
    'Version 1 is retired since 2026-06-01. It is not served any more.',
  ],
]

describe('the page says of a version', () => {
  for (const [title, policy, note] of cases) {
    it(title, async () => {
      const html = await show(policy)
      assert.match(html, /<option value="1" selected>1</)
      assert.equal(noteOf(html), note)
      assert.equal(html.includes('<aside'), note !== undefined)
      const list = await withoutPackage('swagger-ui-dist', () => show(policy))
      const hint = /<span>1<\/span>.*?(?:<p class="hint">(.*)<\/p>)?<\/li>/.exec(list)?.[1]
      assert.equal(hint?.replaceAll(/<[^>]*>/g, ''), note)
    })
  }

  it('its name as it is written', async () => {
    for (const sunset of ['2026-06-01', '2026-12-31']) {
      const app = createCars({}, '2.0-RC1')
      app.enableVersioning(VersioningSchemes.URL, { clock: () => NOW, versions: { '2.0-RC1': { sunset } } })
      const { body } = await app.inject('/docs?version=2.0-RC1')
      assert.match(body, /The sunset of version 2\.0-RC1 /)
    }
  })

  it('nothing while another one is shown', async () => {
    const html = await show({ deprecated: true }, '/docs')
    assert.equal(html.includes('<aside'), false)
  })

  it('what holds at the moment of the request', async () => {
    const policy = { deprecated: '2026-01-01' }
    const at = async (day: string): Promise<string | undefined> =>
      noteOf(await show(policy, '/docs?version=1', Date.parse(day)))
    assert.match(String(await at('2025-12-31')), /deprecated on 2026-01-01/)
    assert.match(String(await at('2026-01-01')), /deprecated since 2026-01-01/)
  })

  it('where its end is explained, with nothing of a link as HTML', async () => {
    const html = await show({
      deprecated: '2026-01-01',
      sunset: '2026-12-31',
      links: { deprecation: '/moving?to=2&now', sunset: { href: '/end', title: '<b>The end</b>' } },
    })
    assert.match(html, /<a href="\/moving\?to=2&#38;now">About the deprecation<\/a>/)
    assert.match(html, /<a href="\/end">&#60;b&#62;The end&#60;\/b&#62;<\/a>/)
    assert.match(html, /<time datetime="2026-12-31T00:00:00.000Z">2026-12-31<\/time>/)
  })
})

describe('a page of your own', () => {
  it('gets the life of each version', async () => {
    const seen: PageInfo[] = []
    const ui = (page: PageInfo): string => {
      seen.push(page)
      return ''
    }
    const app = createCars({ docs: { ui } }, '2')
    app.enableVersioning(VersioningSchemes.URL, {
      clock: () => NOW,
      versions: { '1': { deprecated: '2026-01-01', sunset: '2026-12-31', links: { sunset: '/end' } } },
    })
    await app.inject('/docs?version=1')
    assert.deepEqual(seen[0]?.shown, {
      version: '1',
      url: './docs/openapi/1.json',
      status: 'deprecated',
      deprecated: '2026-01-01T00:00:00.000Z',
      sunset: '2026-12-31T00:00:00.000Z',
      links: { sunset: { type: 'text/html', href: '/end' } },
    })
    assert.deepEqual(
      seen[0]?.documents.map(({ version, status }) => [version, status]),
      [
        [null, 'active'],
        ['2', 'active'],
        ['1', 'deprecated'],
      ],
    )
  })
})
