import type { RadixNode } from 'radix3'

import { mixedShape, type Pattern, type Segment } from './path/pattern.ts'
import { toSplit } from './mixed.ts'
import type { EdgeRule, Tree } from './node.ts'

/** Whether some path matches both the pattern and a pattern of the tree. Own parameter types count as overlapping. */
export function overlaps<R>(tree: Tree<R>, pattern: Pattern): boolean {
  return overlapsBelow(tree.root, 0)

  function overlapsBelow(node: RadixNode, index: number): boolean {
    const segment = pattern.segments[index]
    if (node.children.has('**')) return true
    if (segment === undefined) return node.data !== null || hasRoute(node.children.get(''))
    if (segment.kind === 'rest') return true
    return [...node.children].some(
      ([section, child]) => meets(segment, section) && overlapsBelow(child, index + 1),
    )
  }

  function meets(segment: Segment, section: string): boolean {
    const rule = section.startsWith(':') ? tree.rules.get(section.slice(1)) : undefined
    if (rule !== undefined)
      return segment.kind === 'literal' ? fits(rule, segment.text) : typesMeet(segment, rule)
    return section !== '' && accepts(segment, section)
  }
}

function hasRoute(node: RadixNode | undefined): boolean {
  return node !== undefined && node.data !== null
}

function fits(rule: EdgeRule, text: string): boolean {
  if (rule.split !== null) return rule.split(text) !== undefined
  return rule.test === null || rule.test(text, 0, text.length)
}

/** Whether the segment of a pattern matches the text. */
export function accepts(segment: Segment, text: string): boolean {
  if (segment.kind === 'literal') return segment.text === text
  if (segment.kind === 'mixed') return toSplit(segment.parts)(text) !== undefined
  return segment.kind === 'rest' || segment.param.type.test(text, 0, text.length)
}

/** The built-in types that share no text with a number. */
const NUMBERS = ['{int}', '{float}']

function typesMeet(segment: Segment, rule: EdgeRule): boolean {
  const text = segment.kind === 'mixed' ? mixedShape(segment.parts) : ''
  const label = segment.kind === 'param' ? `{${segment.param.type.name}}` : text
  const pair = [label, rule.label]
  return !(pair.includes('{uuid}') && pair.some((other) => NUMBERS.includes(other)))
}
