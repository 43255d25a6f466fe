/** Texts in colour, or as they are. */
export type Style = Readonly<Record<Colour, (text: string) => string>>

type Colour = keyof typeof CODES

/** The parameters of SGR that begin and end each (ECMA-48 section 8.3.117). */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Colours for a stream: on terminals, unless `NO_COLOR` says no. `FORCE_COLOR` decides wherever it is set, as for Node. */
export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  const isPainted = hasColours(stream, env)
  const paint =
    (colour: Colour) =>
    (text: string): string => {
      const [start, end] = CODES[colour]
      return isPainted ? `\u001B[${start}m${text}\u001B[${end}m` : text
    }
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  }
}

function hasColours({ isTTY = false }: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}
