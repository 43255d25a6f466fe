/**
 * Shows documents in Scalar, without what it has of other origins. Scalar writes styles into the page, which the policy forbids: they
 * become style sheets that are adopted, and properties that are set one by one, which it allows.
 */
export const SCALAR_SCRIPT = `  // zod, which is in Scalar, else tries whether it may compile code
  globalThis.__zod_globalConfig = { jitless: true }

  class AdoptedStyle extends HTMLElement {
    #sheet = new CSSStyleSheet()
    #observer = new MutationObserver(() => this.#sheet.replaceSync(this.textContent))

    connectedCallback() {
      this.hidden = true
      this.#sheet.replaceSync(this.textContent)
      this.#observer.observe(this, { childList: true, characterData: true, subtree: true })
      document.adoptedStyleSheets.push(this.#sheet)
    }

    disconnectedCallback() {
      this.#observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet)
    }
  }
  customElements.define('adopted-style', AdoptedStyle)

  const { createElement } = Document.prototype
  Document.prototype.createElement = function (name, ...rest) {
    return createElement.call(this, String(name).toLowerCase() === 'style' ? 'adopted-style' : name, ...rest)
  }

  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value
    else setAttribute.call(this, name, value)
  }

  const innerHTML = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...innerHTML,
    set(html) {
      innerHTML.set.call(this, String(html ?? '').replaceAll(/(<[a-z][^<>]*\\s)style=/gi, '$1data-style='))
      for (const element of this.querySelectorAll('[data-style]')) {
        element.style.cssText = element.dataset.style
        element.removeAttribute('data-style')
      }
    },
  })

  let app
  let settings = {
    agent: { disabled: true },
    baseServerURL: location.origin,
    documentDownloadType: 'none',
    hideClientButton: true,
    hideDarkModeToggle: true,
    mcp: { disabled: true },
    persistAuth: false,
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  }

  function paint(isDark) {
    update({ forceDarkModeState: isDark ? 'dark' : 'light' })
  }

  function render(text) {
    update({ content: JSON.parse(text) })
    app ??= Scalar.createApiReference('#page', settings)
  }

  function update(changes) {
    settings = { ...settings, ...changes }
    app?.updateConfiguration(settings)
  }
`
