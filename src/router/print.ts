import type { RadixNode } from 'radix3'

import type { Pattern, Segment } from './path/pattern.ts'
import { compareRules, createTree, type Tree } from './node.ts'

/** A line of a printed tree: what stands at a pattern. */
export interface PrintedRoute {
  readonly pattern: Pattern
  readonly text: string
}

/**
 * Prints the trie that radix3 builds of the routes, most specific segments first.
 *
 * @example
 * printTree([{ pattern: '/car/{id}', text: 'GET car.getOne' }])
 * // /
 * // └── car
 * //     └── {id}
 * //           GET car.getOne
 */
export function printTree(routes: readonly PrintedRoute[], strict: boolean): string {
  const tree = createTree(routes, strict)
  return [
    '/',
    ...routeTexts(tree, tree.root.children.get(''), '  '),
    ...children(tree, tree.root, 0, ''),
  ].join('\n')
}

function children(
  tree: Tree<PrintedRoute>,
  node: RadixNode,
  depth: number,
  indent: string,
): readonly string[] {
  const sections = [...node.children]
    .filter(([section]) => section !== '' || depth > 0)
    .toSorted(([a], [b]) => compareSections(tree, a, b))
  return sections.flatMap(([section, child], index) => {
    const last = index === sections.length - 1
    const below = `${indent}${last ? '    ' : '│   '}`
    const label = section === '' ? '(trailing slash)' : segmentLabel(tree, child, section, depth)
    return [
      `${indent}${last ? '└── ' : '├── '}${label}`,
      ...routeTexts(tree, child, `${below}  `),
      ...children(tree, child, depth + 1, below),
    ]
  })
}

function routeTexts(
  tree: Tree<PrintedRoute>,
  node: RadixNode | undefined,
  indent: string,
): readonly string[] {
  return shapeAt(tree, node)?.routes.map(({ text }) => indent + text) ?? []
}

function shapeAt(
  tree: Tree<PrintedRoute>,
  node: RadixNode | undefined,
): { readonly routes: readonly PrintedRoute[] } | undefined {
  return node === undefined || node.data === null ? undefined : tree.shapes.get(String(node.data['key']))
}

/** The segment as the first route below it writes it. */
function segmentLabel(tree: Tree<PrintedRoute>, node: RadixNode, section: string, depth: number): string {
  if (!section.startsWith(':') && section !== '**') return section
  const segment = firstBelow(tree, node)?.pattern.segments[depth]
  return segment === undefined ? section : formatSegment(segment)
}

function firstBelow(tree: Tree<PrintedRoute>, node: RadixNode): PrintedRoute | undefined {
  const own = shapeAt(tree, node)?.routes[0]
  if (own !== undefined) return own
  for (const child of node.children.values()) {
    const found = firstBelow(tree, child)
    if (found !== undefined) return found
  }
  return undefined
}

function formatSegment(segment: Segment): string {
  if (segment.kind === 'literal') return segment.text
  const parts = segment.kind === 'mixed' ? segment.parts : [segment.param]
  return parts.map((part) => (typeof part === 'string' ? part : `{${part.name}:${part.type.name}}`)).join('')
}

function kind(section: string): number {
  if (section === '**') return 2
  return section.startsWith(':') ? 1 : 0
}

/** Literals by alphabet, then parameters by specificity, then the rest. */
function compareSections(tree: Tree<PrintedRoute>, a: string, b: string): number {
  if (kind(a) !== kind(b)) return kind(a) - kind(b)
  const left = tree.rules.get(a.slice(1))
  const right = tree.rules.get(b.slice(1))
  if (kind(a) === 1 && left !== undefined && right !== undefined) return compareRules(left, right)
  return a < b ? -1 : 1
}
