import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { after, describe, it } from 'node:test'

import { Window } from 'happy-dom'
import { createElement } from 'react'
import type { ReactNode } from 'react'

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
  const { QueryClientProvider } = await import('@tanstack/react-query')
  const { createApi, createQueryClient, listOptions, Page, useAddCar } =
    await import('../.recipes/tanstack-query-2.tsx')

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

  it('keeps a car that was added beside one that the API refuses', async () => {
    const api = createApi(url)
    const { queryKey } = listOptions(api, '')
    const lists: (readonly { readonly id: number; readonly name: string }[])[] = []
    const unsubscribe = queries.getQueryCache().subscribe(() => {
      lists.push(queries.getQueryData(queryKey) ?? [])
    })
    let mutate: ReturnType<typeof useAddCar>['mutate'] | undefined
    function Adder(): ReactNode {
      mutate = useAddCar(api, '').mutate
      return null
    }
    const second = createRoot(window.document.createElement('div') as unknown as Element)
    second.render(createElement(QueryClientProvider, { client: queries }, createElement(Adder)))
    await until(() => mutate !== undefined)
    mutate?.({ body: { name: 'Ford' } })
    mutate?.({ body: { name: 'Opel' } })
    await until(() => queries.isMutating() === 2)
    await until(() => queries.isMutating() === 0 && queries.isFetching() === 0)
    unsubscribe()
    second.unmount()

    for (const list of lists) assert.equal(new Set(list.map(({ id }) => id)).size, list.length)
    const shown = lists.map((list) => list.map(({ name }) => name).join())
    assert.ok(shown.includes('Ford,Fiat,Ford,Opel'), shown.join(' '))
    const since = shown.slice(shown.findIndex((list) => list.includes('Opel')))
    assert.ok(
      since.every((list) => list.includes('Opel')),
      shown.join(' '),
    )
    assert.equal(shown.at(-1), 'Ford,Fiat,Opel')
  })

  it('lets the page of another origin read the API', async () => {
    const headers = { origin: 'http://localhost:5173' }
    const response = await fetch(`${url}/cars`, { headers })
    await response.body?.cancel()
    assert.equal(response.headers.get('access-control-allow-origin'), headers.origin)
  })
})
