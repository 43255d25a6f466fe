/** The names of packages that npm takes: `cars`, `@acme/cars`. */
const NAME = /^(?:@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/
const MAX_NAME = 214
/** Names that something else has, in every project. */
const TAKEN = ['node_modules', 'favicon.ico', 'octavo', 'zod', 'tsx', 'typescript']

/** Whether npm takes a text as the name of a package. */
export function isPackageName(name: string): boolean {
  return NAME.test(name) && name.length <= MAX_NAME && !TAKEN.includes(name)
}

/** The name that is nearest to that of a folder. */
export function toPackageName(folder: string): string {
  const name = folder
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d._~-]+/g, '-')
    .replaceAll(/^[._-]+|(?<![._-])[._-]+$/g, '')
    .slice(0, MAX_NAME - '-app'.length)
  if (name === '') return 'app'
  return TAKEN.includes(name) ? `${name}-app` : name
}
