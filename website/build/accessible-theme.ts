/**
 * What is replaced in components of the theme, so that axe-core finds nothing serious. The search is a dialog and a list of links. A
 * heading in the sidebar is a button only if it opens something, and then there is no second button inside.
 */
const REPLACED: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  'VPLocalSearchBox.vue': [
    [
      `      role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
      aria-labelledby="localsearch-label"`,
      `      role="dialog"
      aria-modal="true"
      :aria-label="buttonText"`,
    ],
    [`          :role="results?.length ? 'listbox' : undefined"\n`, ''],
    [
      `            :aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"\n`,
      '',
    ],
    [
      `            :aria-activedescendant="selectedIndex > -1 ? ('localsearch-item-' + selectedIndex) : undefined"
            aria-autocomplete="both"\n`,
      '',
    ],
    [
      `            aria-labelledby="localsearch-label"\n            autocap`,
      `            :aria-label="buttonText"\n            autocap`,
    ],
    [`:aria-label="[...p.titles, p.title].join(' > ')"`, `:aria-current="selectedIndex === index"`],
    [`<kbd :aria-label`, `<kbd role="img" :aria-label`],
    [`<span class="title-icon">`, `<span class="title-icon" aria-hidden="true">`],
  ],
  'VPSidebarItem.vue': [
    [
      `:role="itemRole"`,
      `:role="item.collapsed == null ? undefined : itemRole"
      :aria-expanded="item.collapsed == null || item.link ? undefined : !collapsed"`,
    ],
    [`:tabindex="item.items && 0"`, `:tabindex="item.items && item.collapsed != null ? 0 : undefined"`],
    [
      `if ('key' in e && e.key !== 'Enter') {
    return
  }
  !props.item.link && toggle()`,
      `if (props.item.link || ('key' in e && e.key !== 'Enter' && e.key !== ' ')) {
    return
  }
  // the space bar would scroll
  if ('key' in e) e.preventDefault()
  toggle()`,
    ],
    [
      `        role="button"
        aria-label="toggle section"
        @click="onCaretClick"
        @keydown.enter="onCaretClick"
        tabindex="0"`,
      `        aria-hidden="true"
        @click="onCaretClick"`,
    ],
  ],
}

/** Replaces them in the source of a component. An update of the theme that has other sources fails the build. */
export function toAccessible(code: string, id: string): string | undefined {
  const replaced = Object.entries(REPLACED).find(([name]) => id.endsWith(`/${name}`))
  return replaced?.[1].reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new Error(`${replaced[0]} of the theme has no longer: ${before}`)
    return text.replaceAll(before, after)
  }, code)
}
