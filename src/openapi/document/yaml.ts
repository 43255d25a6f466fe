import { parse, stringify } from 'yaml'

/**
 * A document as YAML 1.2 (RFC 9512): parts that occur several times are written out, and texts that older readers would take for
 * something else, as `yes`, are in quotes.
 */
export function toYaml(document: object): string {
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 })
}

/** What a YAML text says. @throws for texts that are not YAML. */
export function fromYaml(text: string): unknown {
  const value: unknown = parse(text)
  return value
}
