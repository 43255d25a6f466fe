import type { ViewerName } from '../viewers.ts'
import { SCALAR_SCRIPT } from './scalar-script.ts'
import { SWAGGER_SCRIPT } from './swagger-script.ts'

/**
 * The script of the page, as the browser gets it: colours first, the rest when the viewer is there. The script of a viewer has
 * the functions `paint`, which gets whether colours are dark, and `render`, which gets the text and the URL of a document.
 */
export function toScript(viewer: ViewerName): string {
  return `'use strict'
;(() => {
${VIEWER_SCRIPTS[viewer]}
${SCRIPT}})()
`
}

const VIEWER_SCRIPTS: Readonly<Record<ViewerName, string>> = {
  scalar: SCALAR_SCRIPT,
  swagger: SWAGGER_SCRIPT,
}

const SCRIPT = `  const dark = matchMedia('(prefers-color-scheme: dark)')
  paint(dark.matches)
  dark.addEventListener('change', () => paint(dark.matches))
  addEventListener('DOMContentLoaded', start)

  function start() {
    const [select, state, json, yaml, bar, notes] = ['version', 'state', 'json', 'yaml', 'bar', 'notes'].map((id) =>
      document.getElementById(id),
    )
    const options = [...select.options]
    let shown
    let loading

    // what sticks below the bar needs to know how high it is
    new ResizeObserver(() => {
      document.documentElement.style.setProperty('--bar-height', bar.offsetHeight + 'px')
    }).observe(bar)
    select.addEventListener('change', () => {
      const [option] = select.selectedOptions
      history.pushState(null, '', '?version=' + encodeURIComponent(option.value))
      void show(option)
    })
    addEventListener('popstate', () => {
      const option = asked()
      if (option !== shown) void show(option)
    })
    void show(asked())

    // what the address asks for
    function asked() {
      const version = new URLSearchParams(location.search).get('version')
      return (
        options.find(({ value }) => value === version) ??
        options.find((option) => 'default' in option.dataset) ??
        options[0]
      )
    }

    async function show(option) {
      shown = option
      option.selected = true
      json.href = option.dataset.json
      yaml.href = option.dataset.yaml
      showNote(option.value)
      loading?.abort()
      loading = new AbortController()
      const { signal } = loading
      state.hidden = false
      state.textContent = 'Loading…'
      try {
        const text = await read(option.dataset.json, signal)
        render(text, new URL(option.dataset.json, location.href).href)
        state.hidden = true
      } catch (error) {
        if (!signal.aborted) state.textContent = 'The document cannot be shown. ' + error.message
      }
    }

    function showNote(version) {
      if (notes === null) return
      const all = [...notes.children]
      for (const note of all) note.hidden = note.dataset.version !== version
      notes.hidden = all.every(({ hidden }) => hidden)
    }

    async function read(url, signal) {
      const response = await fetch(url, { signal, headers: { accept: 'application/json' } })
      const text = await response.text()
      if (response.ok) return text
      let detail = ''
      try {
        detail = JSON.parse(text).detail ?? ''
      } catch {}
      throw new Error('The server answered ' + response.status + (detail && ': ' + detail) + '.')
    }
  }
`
