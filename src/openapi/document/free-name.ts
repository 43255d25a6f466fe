/**
 * The name, with a number where it is taken; it is taken then. Routes share names in different versions, versions can be written alike,
 * and schemas be named as versions of others.
 */
export function toFreeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}.${count}`
  taken.add(name)
  return name
}
