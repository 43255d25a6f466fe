import { styleText } from 'node:util'

/** Texts in colour, or as they are. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

type Format = keyof Style

/** Colours for a stream: on terminals, unless `NO_COLOR` says no; `FORCE_COLOR` decides wherever it is set, as for Node. */
export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  const paint = hasColours(stream, env)
    ? (format: Format) => (text: string) => styleText(format, text, { validateStream: false })
    : () => (text: string) => text
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
