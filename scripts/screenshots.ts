import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createApp, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'

import { createRatesModule } from '../examples/versions/controller.ts'
import { findChromium, startBrowser } from '../test/support/browser.ts'
import type { Tab } from '../test/support/browser.ts'
import { withPackage } from '../test/support/without-package.ts'

/**
 * Takes the pictures of the documentation: the page of the versions example, wide and narrow, in light and dark. Scalar is installed by
 * `npm ci --prefix test/outside --ignore-scripts`.
 */

const FOLDER = join(import.meta.dirname, '../docs/images')
const MAX_BYTES = 150_000

const SCALAR = join(import.meta.dirname, '../test/outside/node_modules/@scalar/api-reference/dist/index.js')

const SHOTS = [
  { name: 'page-light', ui: 'swagger', width: 1280, height: 900, scheme: 'light', steps: openConvert },
  { name: 'page-dark', ui: 'swagger', width: 1280, height: 900, scheme: 'dark', steps: openConvert },
  { name: 'page-light-narrow', ui: 'swagger', width: 375, height: 760, scheme: 'light', steps: nothing },
  { name: 'page-dark-narrow', ui: 'swagger', width: 375, height: 760, scheme: 'dark', steps: showAnswer },
  { name: 'scalar-light', ui: 'scalar', width: 1280, height: 900, scheme: 'light', steps: scrollToConvert },
  { name: 'scalar-dark-narrow', ui: 'scalar', width: 375, height: 760, scheme: 'dark', steps: nothing },
] as const

const SHOWN = { scalar: 'main h1', swagger: '.opblock' } as const

const CONVERT = `[...document.querySelectorAll('.opblock')].find((each) => each.textContent.includes('Convert'))`

async function nothing(): Promise<void> {}

async function scrollToConvert(tab: Tab): Promise<void> {
  await tab.evaluate(
    "[...document.querySelectorAll('aside li a, aside li button')].find((each) => each.innerText.startsWith('Convert')).click()",
  )
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}

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

function serve(ui: 'scalar' | 'swagger'): App {
  const app = createApp(createRatesModule({ first: '1', second: '2', third: '3' }), {
    logger: false,
    docs: { ui, info: { title: 'Rates', description: 'What money costs, in three versions.' } },
  })
  app.enableVersioning(VersioningSchemes.URL, {
    defaultVersion: '3',
    versions: {
      '1': { deprecated: '2025-01-01', sunset: '2026-01-01', retired: 'gone' },
      '2': { deprecated: '2026-03-01', sunset: '2035-01-01' },
    },
  })
  return app
}

const browser = await startBrowser(chromium)
try {
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, ui, width, height, scheme, steps } of SHOTS) {
    await withPackage('@scalar/api-reference', SCALAR, async () => {
      const app = serve(ui)
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      const tab = await browser.tab()
      await tab.look(width, height, scheme)
      await tab.open(`${url}/docs?version=2`)
      await tab.until(`document.querySelector('${SHOWN[ui]}')`)
      await steps(tab)
      // what slides and fades is done
      await new Promise((resolve) => setTimeout(resolve, 600))
      const png = await tab.screenshot()
      if (png.length > MAX_BYTES) throw new Error(`${name} has ${png.length} bytes`)
      writeFileSync(join(FOLDER, `${name}.png`), png)
      console.log(`${name}.png: ${png.length} bytes`)
      await tab.close()
      await app.close()
    })
  }
} finally {
  await browser.close()
}
