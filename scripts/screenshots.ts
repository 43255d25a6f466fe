import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createRatesApp } from '../examples/versions/apps.ts'
import { findChromium, startBrowser } from '../test/support/browser.ts'
import type { Tab } from '../test/support/browser.ts'

/** Takes the pictures of the documentation: the page of the versions example, wide and narrow, in light and dark. */

const FOLDER = join(import.meta.dirname, '../docs/images')
const MAX_BYTES = 150_000

const SHOTS = [
  { name: 'page-light', width: 1280, height: 900, scheme: 'light', steps: openConvert },
  { name: 'page-dark', width: 1280, height: 900, scheme: 'dark', steps: openConvert },
  { name: 'page-light-narrow', width: 375, height: 760, scheme: 'light', steps: nothing },
  { name: 'page-dark-narrow', width: 375, height: 760, scheme: 'dark', steps: showAnswer },
] as const

const CONVERT = `[...document.querySelectorAll('.opblock')].find((each) => each.textContent.includes('Convert'))`

async function nothing(): Promise<void> {}

async function openConvert(tab: Tab): Promise<void> {
  await tab.evaluate(`${CONVERT}.querySelector('.opblock-summary-control').click()`)
  await tab.until(`${CONVERT}.querySelector('.try-out__btn')`)
  await tab.evaluate(`${CONVERT}.querySelector('.try-out__btn').click()`)
  await tab.until(`${CONVERT}.querySelector('.btn.execute')`)
}

async function showAnswer(tab: Tab): Promise<void> {
  await openConvert(tab)
  await tab.evaluate(`${CONVERT}.querySelector('.btn.execute').click()`)
  await tab.until(`${CONVERT}.querySelector('.live-responses-table .response-col_status')`)
  await tab.evaluate(`${CONVERT}.querySelector('.responses-wrapper').scrollIntoView()`)
}

const chromium = findChromium()
if (chromium === undefined) throw new Error('no chromium is installed; CHROME_PATH may name one')
const app = createRatesApp('url', {
  logger: false,
  docs: { info: { title: 'Rates', description: 'What money costs, in three versions.' } },
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const browser = await startBrowser(chromium)
try {
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, width, height, scheme, steps } of SHOTS) {
    const tab = await browser.tab()
    await tab.look(width, height, scheme)
    await tab.open(`${url}/docs?version=3`)
    await tab.until("document.querySelector('.opblock')")
    await steps(tab)
    // what slides and fades is done
    await new Promise((resolve) => setTimeout(resolve, 600))
    const png = await tab.screenshot()
    if (png.length > MAX_BYTES) throw new Error(`${name} has ${png.length} bytes`)
    writeFileSync(join(FOLDER, `${name}.png`), png)
    console.log(`${name}.png: ${png.length} bytes`)
    await tab.close()
  }
} finally {
  await browser.close()
  await app.close()
}
