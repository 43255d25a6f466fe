import { useData, withBase } from 'vitepress'
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'

import './style.css'

/** Leads to the copy of a page for those who read Markdown, such as tools. */
const MarkdownLink = defineComponent(() => {
  const { page } = useData()
  return () =>
    h('p', { class: 'markdown-link' }, [
      h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown'),
    ])
})

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, undefined, { 'doc-footer-before': () => h(MarkdownLink) }),
}

export default theme
