import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { findChromium, startBrowser } from '../support/browser.ts'
import type { Browser, Tab } from '../support/browser.ts'
import { withoutPackage } from '../support/without-package.ts'
import { createSales } from '../webhooks/support.ts'
import { findOwnViolations, LIFE, VISIBLE_MAINS } from './axe.ts'
import { createCars } from './support.ts'

const chromium = findChromium()

/** The operations that the page lists. */
const LISTED = `[...document.querySelectorAll('.opblock-summary')].map((each) =>
  each.querySelector('.opblock-summary-method').textContent + ' ' +
  each.querySelector('.opblock-summary-path, .opblock-summary-path__deprecated').textContent.replaceAll('\\u200b', ''))`

/** Opens an operation, tries it out and waits for the answer. */
async function tryOut(tab: Tab, operation: string, fill = ''): Promise<string> {
  const block = `[...document.querySelectorAll('.opblock')].find((each) => each.textContent.replaceAll('\\u200b', '').includes(${JSON.stringify(operation)}))`
  await tab.evaluate(`${block}.querySelector('.opblock-summary-control').click()`)
  await tab.until(`${block}.querySelector('.try-out__btn')`)
  await tab.evaluate(`${block}.querySelector('.try-out__btn').click()`)
  await tab.until(`${block}.querySelector('.btn.execute')`)
  if (fill !== '')
    await tab.evaluate(`{
      const field = ${block}.querySelector('input[type=text]')
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(fill)})
      field.dispatchEvent(new Event('input', { bubbles: true }))
      // or what is in it is told a moment later
      field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
    }`)
  await tab.evaluate(`${block}.querySelector('.btn.execute').click()`)
  await tab.until(`${block}.querySelector('.live-responses-table .response-col_status')`)
  return String(await tab.evaluate(`${block}.querySelector('.live-responses-table').textContent`))
}

/** Chooses a version as somebody does who has a mouse. */
async function choose(tab: Tab, version: string): Promise<void> {
  await tab.evaluate(`{
    const select = document.getElementById('version')
    select.value = ${JSON.stringify(version)}
    // the page is left once this is answered
    setTimeout(() => select.dispatchEvent(new Event('change', { bubbles: true })))
  }`)
}

const lists = (operations: readonly string[]): string =>
  `JSON.stringify(${LISTED}) === ${JSON.stringify(JSON.stringify(operations))}`

/** Each colour scheme and each width, because colours do not depend on the width. */
const LOOKS = [
  ['light', 375],
  ['dark', 1280],
] as const

const FIRST = ['GET /v1/car/{car_id}', 'GET /car/status']
const SECOND = ['GET /v2/car/{car_id}', 'GET /v2/car/doors', 'GET /car/status']

describe('the page in a browser', { skip: chromium === undefined && 'no chromium is installed' }, () => {
  let browser: Browser
  const apps: App[] = []
  before(async () => {
    browser = await startBrowser(chromium ?? '')
  })
  after(async () => {
    await Promise.all([browser.close(), ...apps.map((app) => app.close())])
  })

  async function serve(enable: (app: App) => void, options: AppOptions = {}): Promise<string> {
    const app = createCars(options, '2')
    enable(app)
    apps.push(app)
    return app.listen({ port: 0, host: '127.0.0.1' })
  }

  const byPath = (app: App): void => app.enableVersioning(VersioningSchemes.URL, { defaultVersion: '1' })

  it('lists the operations of a version, and those of another when it is chosen, and goes back', async () => {
    const url = await serve(byPath)
    const tab = await browser.tab()
    await tab.open(`${url}/docs`)
    await tab.until(lists(SECOND))
    await choose(tab, '1')
    await tab.until(lists(FIRST))
    assert.equal(await tab.evaluate('location.href'), `${url}/docs?version=1`)
    assert.equal(await tab.evaluate("document.querySelector('.bar a').href"), `${url}/docs/openapi/1.json`)
    await tab.evaluate('history.back()')
    await tab.until(lists(SECOND))
    assert.equal(await tab.evaluate('location.href'), `${url}/docs`)
    assert.equal(await tab.evaluate("document.getElementById('version').value"), '2')
    await tab.evaluate('history.forward()')
    await tab.until(lists(FIRST))
    await choose(tab, 'all')
    await tab.until(`${LISTED}.length === 4`)
    assert.deepEqual(tab.complaints, [])
    await tab.close()
  })

  it('sends what is tried out to the application and shows the answer; another version begins anew', async () => {
    const url = await serve(byPath)
    const tab = await browser.tab()
    await tab.open(`${url}/docs?version=2`)
    await tab.until(lists(SECOND))
    const answer = await tryOut(tab, '/v2/car/{car_id}', '7')
    assert.match(answer, /200/)
    assert.match(answer, /"id": 7,\s*"version": "2"/)
    await tryOut(tab, '/car/status')
    await choose(tab, '1')
    await tab.until(lists(FIRST))
    assert.equal(await tab.evaluate("document.querySelectorAll('.live-responses-table').length"), 0)
    assert.deepEqual(tab.complaints, [])
    const outside = tab.requests.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith('data:'))
    assert.deepEqual(outside, [])
    await tab.close()
  })

  const ways: Readonly<Record<string, (app: App) => void>> = {
    Accept: (app) => app.enableVersioning(VersioningSchemes.HEADER, { required: true }),
    'a header': (app) =>
      app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', required: true }),
    'the query': (app) => app.enableVersioning(VersioningSchemes.QUERY, { required: true }),
  }
  for (const [title, enable] of Object.entries(ways)) {
    it(`names the version of what is tried out in ${title}`, async () => {
      const url = await serve(enable)
      const tab = await browser.tab()
      await tab.open(`${url}/docs?version=2`)
      await tab.until(lists(['GET /car/{car_id}', 'GET /car/doors', 'GET /car/status']))
      assert.match(await tryOut(tab, '/car/{car_id}', '7'), /"id": 7,\s*"version": "2"/)
      assert.deepEqual(tab.complaints, [])
      await tab.close()
    })
  }

  it('fits narrow and wide windows in light and dark, with everything open', async () => {
    const long = 'a'.repeat(200)
    const info = { description: `See \`${long}\`\n\n    ${long}` }
    const url = await serve(byPath, { docs: { info: { title: `Cars ${long}`, ...info } } })
    const tab = await browser.tab()
    for (const [scheme, width] of LOOKS) {
      await tab.look(width, 800, scheme)
      await tab.open(`${url}/docs?version=2`)
      await tab.until(lists(SECOND))
      await tryOut(tab, '/v2/car/{car_id}', '7')
      await tab.evaluate(
        "document.querySelectorAll('.json-schema-2020-12-accordion').forEach((each) => each.click())",
      )
      const scrollWidth = await tab.evaluate('document.documentElement.scrollWidth')
      assert.equal(scrollWidth, width, `${scheme}, ${width} pixels`)
      const ground = String(
        await tab.evaluate("getComputedStyle(document.querySelector('html')).backgroundColor"),
      )
      assert.equal(ground, scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(28, 32, 34)')
    }
    assert.deepEqual(tab.complaints, [])
    await tab.close()
  })

  it('says where a version stands in its life, and of another when it is chosen', async () => {
    const url = await serve((app) => app.enableVersioning(VersioningSchemes.URL, LIFE))
    const tab = await browser.tab()
    await tab.open(`${url}/docs?version=1`)
    await tab.until(lists(FIRST))
    const visible = `[...document.querySelectorAll('.note')].filter((each) => each.checkVisibility()).map((each) => each.innerText)`
    assert.deepEqual(await tab.evaluate(visible), [
      'Version 1 is retired since 2025-06-01. It is not served any more.',
    ])
    await choose(tab, 'all')
    await tab.until(`${LISTED}.length === 4`)
    assert.deepEqual(await tab.evaluate(visible), [])
    await choose(tab, '2')
    await tab.until(lists(SECOND))
    assert.deepEqual(await tab.evaluate(visible), ['Version 2 is deprecated since 2025-01-01.'])
    await tab.close()
  })

  it('keeps the operation of the address, for versions that have it', async () => {
    const url = await serve(byPath)
    const tab = await browser.tab()
    const opened = "document.querySelector('.opblock.is-open .opblock-summary')"
    await tab.open(`${url}/docs?version=2#/car/car.status`)
    await tab.until(`${opened}?.textContent.includes('status')`)
    await choose(tab, '1')
    await tab.until(lists(FIRST))
    await tab.until(`${opened}?.textContent.includes('status')`)
    await tab.close()
  })

  it('shows the webhooks of a version', async () => {
    const app = createSales()
    apps.push(app)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const tab = await browser.tab()
    await tab.open(`${url}/docs?version=2`)
    await tab.until(lists(['GET /v2/owner', 'POST car.sold', 'POST owner.moved']))
    await choose(tab, '1')
    await tab.until(lists(['GET /v1/owner', 'POST car.sold']))
    assert.deepEqual(tab.complaints, [])
    await tab.close()
  })

  it('has one main landmark, and axe-core finds nothing wrong but in Swagger UI', async () => {
    const url = await serve((app) => app.enableVersioning(VersioningSchemes.URL, LIFE))
    const tab = await browser.tab()
    for (const [scheme, width] of LOOKS) {
      await tab.look(width, 800, scheme)
      await tab.open(`${url}/docs`)
      await tab.until(lists(SECOND))
      assert.equal(await tab.evaluate(VISIBLE_MAINS), 1)
      assert.deepEqual(await findOwnViolations(tab), [], `${scheme}, ${width} pixels`)
    }
    await tab.close()
  })

  it('is as accessible as a list, without a package', async () => {
    const url = await withoutPackage('swagger-ui-dist', async () => {
      const listening = await serve((app) => app.enableVersioning(VersioningSchemes.URL, LIFE))
      // the page looks for the package once
      await fetch(`${listening}/docs`)
      return listening
    })
    const tab = await browser.tab()
    for (const scheme of ['light', 'dark'] as const) {
      await tab.look(375, 800, scheme)
      await tab.open(`${url}/docs`)
      assert.match(
        String(await tab.evaluate('document.body.innerText')),
        /Version 2 is deprecated since 2025-01-01[^]*Version 1 is retired since 2025-06-01/,
      )
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 375)
      assert.equal(await tab.evaluate(VISIBLE_MAINS), 1)
      assert.deepEqual(await findOwnViolations(tab), [], scheme)
    }
    await tab.close()
  })

  it('works behind a proxy that puts something before the path', async () => {
    const target = await serve(byPath, { docs: { servers: [{ url: '/cars' }] } })
    const proxy = createServer((incoming, outgoing) => {
      const path = String(incoming.url).replace(/^\/cars/, '')
      if (path === incoming.url) outgoing.writeHead(404).end()
      else
        request(`${target}${path}`, { headers: incoming.headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
        }).end()
    })
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve)
    })
    try {
      const tab = await browser.tab()
      for (const slash of ['', '/']) {
        await tab.open(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/cars/docs${slash}`)
        await tab.until(lists(SECOND))
        assert.match(await tryOut(tab, '/v2/car/{car_id}', '7'), /"id": 7,\s*"version": "2"/)
      }
      assert.deepEqual(tab.complaints, [])
      await tab.close()
    } finally {
      proxy.closeAllConnections()
      proxy.close()
    }
  })
})
