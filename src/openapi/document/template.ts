import type { Pattern, Segment } from '../../path/pattern.ts'

/** How a template writes what is not the same in all of them. */
interface Spelling {
  readonly literal: (text: string) => string
  readonly rest: (name: string) => string
}

/** A pattern with its parameters in braces, without their types. */
export function toTemplate(
  { segments, trailingSlash }: Pick<Pattern, 'segments' | 'trailingSlash'>,
  spelling: Spelling,
): string {
  const written = segments.map((segment) => toText(segment, spelling))
  return `/${written.join('/')}${trailingSlash && segments.length > 0 ? '/' : ''}`
}

function toText(segment: Segment, { literal, rest }: Spelling): string {
  switch (segment.kind) {
    case 'literal':
      return literal(segment.text)
    case 'param':
      return `{${segment.param.name}}`
    case 'mixed':
      return segment.parts
        .map((part) => (typeof part === 'string' ? literal(part) : `{${part.name}}`))
        .join('')
    case 'rest':
      return rest(segment.param.name)
  }
}
