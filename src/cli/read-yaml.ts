import { parse } from 'yaml'

/** What a YAML text says. @throws for texts that are not YAML. */
export function fromYaml(text: string): unknown {
  const value: unknown = parse(text)
  return value
}
