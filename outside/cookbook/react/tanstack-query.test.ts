import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { after, describe, it } from 'node:test'

import { Window } from 'happy-dom'
import { createElement } from 'react'

import { app, url } from '../.recipes/tanstack-query.ts'

describe('the recipe of TanStack Query', async () => {
  const window = new Window()
  // fetch stays that of Node
  for (const name of [
    'document',
    'navigator',
    'HTMLElement',
    'HTMLIFrameElement',
    'HTMLFormElement',
    'FormData',
    'Event',
  ] as const)
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true })
  Object.defineProperty(globalThis, 'window', { value: window, configurable: true })
  const { createRoot } = await import('react-dom/client')
  const { createApi, createQueryClient, Page } = await import('../.recipes/tanstack-query-2.tsx')

  const queries = createQueryClient()
  // the timers of mutations would keep this process
  queries.setDefaultOptions({ ...queries.getDefaultOptions(), mutations: { gcTime: 0 } })
  const place = window.document.createElement('div')
  window.document.body.append(place)
  // React takes an element of any document
  const root = createRoot(place as unknown as Element)
  after(async () => {
    root.unmount()
    queries.clear()
    await app.close()
    await window.happyDOM.close()
  })
  root.render(createElement(Page, { api: createApi(url), queries }))

  const names = (): string => [...place.querySelectorAll('li')].map(({ textContent }) => textContent).join()
  async function until(condition: () => boolean): Promise<void> {
    for (let left = 2_000; !condition(); left--) {
      assert.ok(left > 0, place.innerHTML)
      await delay(5)
    }
  }
  async function add(name: string): Promise<void> {
    await until(() => place.querySelector('button')?.disabled === false)
    const input = place.querySelector('input[name=name]')
    assert.ok(input instanceof window.HTMLInputElement)
    input.value = name
    place.querySelector('button')?.click()
  }

  it('shows the list', async () => {
    await until(() => names() === 'Ford')
  })

  it('shows a new car at once, and then as the API has it', async () => {
    await add('Fiat')
    await until(() => names() === 'Ford,Fiat')
    await until(() => queries.isMutating() === 0 && queries.isFetching() === 0)
    assert.equal(names(), 'Ford,Fiat')
  })

  it('takes a car back that the API refuses, and says why', async () => {
    const seen: string[] = []
    const watch = setInterval(() => seen.push(names()), 1)
    await add('Ford')
    await until(() => place.textContent.includes('There is such a car'))
    clearInterval(watch)
    await until(() => names() === 'Ford,Fiat')
    assert.ok(seen.includes('Ford,Fiat,Ford'), seen.join(' '))
  })
})
