import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { Tab } from '../support/browser.ts'

/** The lives of the two versions of the cars: one is retired, one deprecated. */
export const LIFE = {
  defaultVersion: '1',
  versions: {
    '1': { deprecated: '2025-01-01', sunset: '2025-06-01', retired: 'gone' },
    '2': { deprecated: '2025-01-01' },
  },
} as const

/** An expression for how many main landmarks there are. */
export const VISIBLE_MAINS = `[...document.querySelectorAll('main:not([role]), [role=main]')].filter((each) => each.checkVisibility()).length`

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong, of any impact, but within a viewer, where it is the viewer's. */
export async function findOwnViolations(tab: Tab): Promise<unknown> {
  await tab.evaluate(`${AXE}; undefined`)
  return tab.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) =>
    nodes.flatMap(({ target, html }) =>
      document.querySelector(target[0])?.closest('#page') ? [] : [[impact, id, html].join(' ')])))`)
}
