import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { App } from 'octavo'

import { findChromium, startBrowser } from '../support/browser.ts'
import type { Browser, Tab } from '../support/browser.ts'
import { withPackage } from '../support/without-package.ts'
import { findOwnViolations, LIFE, VISIBLE_MAINS } from './axe.ts'
import { createCars } from './support.ts'

const chromium = findChromium()
// with its 300 dependencies it is among the tools of others
const entry = join(import.meta.dirname, '../outside/node_modules/@scalar/api-reference/dist/index.js')
const skip =
  (chromium === undefined && 'no chromium is installed') ||
  (process.env['OCTAVO_PACKAGES'] === 'later' && 'another step runs it') ||
  (!existsSync(entry) && 'Scalar is not installed: npm ci --prefix test/outside --ignore-scripts')

/** The names of the operations that the list at the side has. */
const LISTED = `[...document.querySelectorAll('aside.t-doc__sidebar li')]
  .flatMap(({ dataset }) => /(GET\\/.*)/.exec(dataset.sidebarId ?? '')?.[1] ?? [])`

const lists = (operations: readonly string[]): string =>
  `JSON.stringify(${LISTED}) === ${JSON.stringify(JSON.stringify(operations))}`

const FIRST = ['GET/v1/car/{car_id}', 'GET/car/status']
const SECOND = ['GET/v2/car/{car_id}', 'GET/v2/car/doors', 'GET/car/status']

/** What the console says, but for the name of the package and how long things took. */
const complaintsOf = (tab: Tab): readonly string[] =>
  tab.complaints.filter((each) => !/"@scalar\/api-reference@|: \d+ ms"/.test(each))

async function choose(tab: Tab, version: string): Promise<void> {
  await tab.evaluate(`{
    const select = document.getElementById('version')
    select.value = ${JSON.stringify(version)}
    // the page is left once this is answered
    setTimeout(() => select.dispatchEvent(new Event('change', { bubbles: true })))
  }`)
}

describe('the page with Scalar in a browser', { skip }, () => {
  let browser: Browser
  const apps: App[] = []
  before(async () => {
    browser = await startBrowser(chromium ?? '')
  })
  after(async () => {
    await Promise.all([browser.close(), ...apps.map((app) => app.close())])
  })

  function serve(enable: (app: App) => void): Promise<string> {
    return withPackage('@scalar/api-reference', entry, async () => {
      const app = createCars({}, '2')
      enable(app)
      apps.push(app)
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      // the page looks for the package once
      await app.inject('/docs')
      return url
    })
  }

  const withLives = (app: App): void => app.enableVersioning(VersioningSchemes.URL, LIFE)

  it('lists the operations of a version, and those of another when it is chosen, and goes back', async () => {
    const url = await serve(withLives)
    const tab = await browser.tab()
    await tab.look(1280, 800, 'light')
    await tab.open(`${url}/docs`)
    await tab.until(lists(SECOND))
    assert.match(
      String(await tab.evaluate("document.querySelector('.note').innerText")),
      /^Version 2 is deprecated/,
    )
    await choose(tab, '1')
    await tab.until(lists(FIRST))
    assert.match(
      String(await tab.evaluate("document.querySelector('.note').innerText")),
      /^Version 1 is retired/,
    )
    assert.equal(await tab.evaluate('location.search'), '?version=1')
    await tab.evaluate('history.back()')
    await tab.until(lists(SECOND))
    assert.equal(await tab.evaluate("document.getElementById('version').value"), '2')
    assert.deepEqual(complaintsOf(tab), [])
    await tab.close()
  })

  it('sends what is tried out to the application, and nothing to anybody else', async () => {
    const url = await serve((app) => app.enableVersioning(VersioningSchemes.HEADER, { required: true }))
    const tab = await browser.tab()
    await tab.look(1280, 800, 'dark')
    await tab.open(`${url}/docs?version=2`)
    const button = (text: string): string =>
      `[...document.querySelectorAll('button')].find((each) => each.checkVisibility() && each.innerText.replace(/\\s+/g, ' ').trim().startsWith(${JSON.stringify(text)}))`
    await tab.until(button('Test Request (get /car/doors)'))
    await tab.evaluate(`${button('Test Request (get /car/doors)')}.click()`)
    await tab.until(button('Send'))
    await tab.evaluate(`${button('Send')}.click()`)
    await tab.until("document.body.innerText.includes('200 OK') && document.body.innerText.includes('doors')")
    assert.ok(tab.requests.includes(`${url}/car/doors`), tab.requests.join('\n'))
    const outside = tab.requests.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith('data:'))
    assert.deepEqual(outside, [])
    assert.deepEqual(
      complaintsOf(tab).filter((each) => /Content Security Policy|Failed to load/.test(each)),
      [],
    )
    await tab.close()
  })

  it('fits narrow and wide windows in light and dark, has one main landmark, and axe-core finds nothing of ours', async () => {
    const url = await serve(withLives)
    const tab = await browser.tab()
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [375, 1280]) {
        await tab.look(width, 800, scheme)
        await tab.open(`${url}/docs`)
        await tab.until("document.querySelector('main h1')")
        assert.equal(
          await tab.evaluate('document.documentElement.scrollWidth'),
          width,
          `${scheme}, ${width} pixels`,
        )
        assert.equal(await tab.evaluate(VISIBLE_MAINS), 1)
        assert.equal(await tab.evaluate(`document.body.classList.contains('${scheme}-mode')`), true)
        assert.deepEqual(await findOwnViolations(tab), [], `${scheme}, ${width} pixels`)
      }
    }
    assert.deepEqual(complaintsOf(tab), [])
    await tab.close()
  })
})
