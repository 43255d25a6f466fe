/** Shows documents in Swagger UI, with a list of the operations beside it that can be searched. */
export const SWAGGER_SCRIPT = `  const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
  let ui

  function paint(isDark) {
    document.documentElement.classList.toggle('dark-mode', isDark)
  }

  function render(text, url) {
    const spec = JSON.parse(text)
    if (ui === undefined) {
      keepOneMain(document.getElementById('page'))
      ui = SwaggerUIBundle({
        spec,
        dom_id: '#page',
        presets: [SwaggerUIBundle.presets.apis],
        layout: 'BaseLayout',
        deepLinking: true,
        displayRequestDuration: true,
        validatorUrl: null,
      })
      ui.specActions.updateUrl(url)
      document.getElementById('search').addEventListener('input', search)
    } else {
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
    list(spec)
    search()
  }

  // the main element of Swagger UI has the operations alone, and is in that of the page, which has everything
  function keepOneMain(page) {
    new MutationObserver(() => {
      for (const inner of page.querySelectorAll('main:not([role])')) inner.setAttribute('role', 'group')
    }).observe(page, { childList: true, subtree: true })
  }

  // what Swagger UI shows, in its order: by tag, those that the document describes first, and webhooks last
  function list({ paths = {}, tags = [], webhooks = {} }) {
    const groups = new Map(tags.map(({ name }) => [name, []]))
    for (const [path, item] of Object.entries(paths)) {
      for (const method of METHODS.filter((each) => each in item)) {
        const operation = item[method]
        for (const tag of operation.tags ?? ['default']) {
          if (!groups.has(tag)) groups.set(tag, [])
          groups.get(tag).push(toItem(tag, method, path, operation))
        }
      }
    }
    const sent = Object.entries(webhooks).flatMap(([name, item]) =>
      METHODS.filter((each) => each in item).map((method) => toItem('webhooks', method, name, item[method])),
    )
    const sections = [...groups, ['Webhooks', sent]].filter(([, items]) => items.length > 0).map(([tag, items]) => {
      const list = create('ul', '', ...items)
      list.setAttribute('aria-label', tag)
      return create('div', 'group', create('p', '', tag), list)
    })
    document.getElementById('list').replaceChildren(...sections)
    document.getElementById('side').hidden = sections.length === 0
  }

  function toItem(tag, method, path, { operationId = '', summary = path, description = '', deprecated = false }) {
    const link = create(
      'a',
      '',
      create('span', 'method method-' + method, method.toUpperCase()),
      create('span', 'name', summary, ...(deprecated ? [create('small', '', ' deprecated')] : [])),
      create('span', 'path', path),
    )
    link.href = '#/' + [tag, operationId].map(encodeURIComponent).join('/')
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      history.pushState(null, '', link.href)
      open(tag, operationId)
    })
    const item = create('li', deprecated ? 'deprecated' : '', link)
    item.dataset.text = [method, path, summary, operationId, tag, description].join(' ').toLowerCase()
    return item
  }

  function open(tag, operationId) {
    ui.layoutActions.show(['operations-tag', tag], true)
    ui.layoutActions.show(['operations', tag, operationId], true)
    const id = CSS.escape(['operations', tag, operationId].join('-').trim().replace(/\\s/g, '_'))
    // what is opened is there in the next frame
    requestAnimationFrame(() =>
      setTimeout(() => {
        const block = document.getElementById(id)
        block?.querySelector('.opblock-summary-control')?.focus({ preventScroll: true })
        block?.scrollIntoView()
      }),
    )
  }

  // every word has to be found
  function search() {
    const words = document.getElementById('search').value.toLowerCase().split(/\\s+/).filter(Boolean)
    const items = [...document.querySelectorAll('#list li')]
    for (const item of items) item.hidden = !words.every((word) => item.dataset.text.includes(word))
    for (const group of document.querySelectorAll('#list .group'))
      group.hidden = [...group.querySelectorAll('li')].every(({ hidden }) => hidden)
    const count = items.filter(({ hidden }) => !hidden).length
    document.getElementById('found').textContent =
      words.length === 0 ? '' : count === 0 ? 'No operation matches' : count + ' of ' + items.length + ' operations'
    document.getElementById('side').classList.toggle('searching', words.length > 0)
  }

  function create(name, className, ...children) {
    const element = document.createElement(name)
    if (className !== '') element.className = className
    element.append(...children)
    return element
  }
`
