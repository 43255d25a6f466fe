/** The script of the page, as the browser gets it. Colours first; the rest when Swagger UI is there. */
export const SCRIPT = `'use strict'
;(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  paint()
  dark.addEventListener('change', paint)
  addEventListener('DOMContentLoaded', start)

  function start() {
    const [select, state, json, yaml] = ['version', 'state', 'json', 'yaml'].map((id) => document.getElementById(id))
    const options = [...select.options]
    let ui
    let shown
    let loading

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

    function render(text, url) {
      if (ui === undefined) {
        ui = SwaggerUIBundle({
          spec: JSON.parse(text),
          dom_id: '#page',
          presets: [SwaggerUIBundle.presets.apis],
          layout: 'BaseLayout',
          deepLinking: true,
          displayRequestDuration: true,
          validatorUrl: null,
        })
        ui.specActions.updateUrl(url)
        return
      }
      // answers of another version are not those of this one
      ui.specSelectors.paths().forEach((item, path) =>
        item.forEach((_operation, method) => {
          ui.specActions.clearResponse(path, method)
          ui.specActions.clearRequest(path, method)
        }),
      )
      ui.specActions.updateUrl(url)
      ui.specActions.updateSpec(text)
    }
  }
})()
`
