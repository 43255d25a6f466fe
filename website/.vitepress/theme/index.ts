import { useData, withBase } from 'vitepress'
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import type { VNode } from 'vue'

import dark from '../../../docs/images/page-dark.png'
import light from '../../../docs/images/page-light.png'

import './style.css'

/** Leads to the copy of a page for those who read Markdown, such as tools. */
const MarkdownLink = defineComponent(() => {
  const { page } = useData()
  return () =>
    h('p', { class: 'markdown-link' }, [
      h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown'),
    ])
})

const PICTURE =
  'The documentation page of version 3 of a currency API, with a menu of versions and an operation to try out.'

/** The page that an application serves, in the colours of the theme. */
const Picture = (): VNode =>
  h('div', { class: 'home-picture' }, [
    h('img', { class: 'only-light', src: light, alt: PICTURE }),
    h('img', { class: 'only-dark', src: dark, alt: PICTURE }),
  ])

/** The command that creates a project. */
const Install = (): VNode =>
  h('p', { class: 'home-install' }, [
    h('code', 'npx octavo init garage'),
    ' Octavo is not on npm yet: ',
    h('a', { href: withBase('/introduction#use-it-in-your-project') }, 'use it from a clone'),
  ])

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, undefined, {
      'doc-footer-before': () => h(MarkdownLink),
      'home-hero-actions-after': Install,
      'home-hero-image': Picture,
    }),
}

export default theme
