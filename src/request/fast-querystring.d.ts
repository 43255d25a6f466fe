/** The package without its `stringify`, which has no types of its own. */
declare module 'fast-querystring/lib/parse.js' {
  const parse: (text: string) => Record<string, string | string[]>
  export = parse
}
