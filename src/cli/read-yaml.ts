import { parse } from 'yaml'

/** Parses a YAML text. @throws for texts that are not YAML. */
export function fromYaml(text: string): unknown {
  const value: unknown = parse(text)
  return value
}
