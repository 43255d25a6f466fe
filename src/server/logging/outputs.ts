/** Takes lines, each with its line feed. */
type Sink = (line: string) => void

/** The levels that the default logger writes. */
export type Level = 'info' | 'warn' | 'error'

/** Where log lines go, by their level. */
export interface Outputs {
  readonly info: Sink
  readonly warn: Sink
  readonly error: Sink
  /** Writes the line of a request, faster than that of any details. Returns false, and writes nothing, for other details and messages. */
  readonly request?: (details: object, message: string | undefined) => boolean
  /** Formats a record for people, if the output of its level is a terminal. */
  readonly formatLine?: (level: Level, details: object, message: string | undefined) => string | undefined
}

/** Opens what log lines go to. `toLossLine` writes the line that reports how many lines were dropped, at the place where they are missing. */
export type OpenOutputs = (toLossLine: (count: number) => string) => Outputs

/** Writes log lines to the console, which platforms without files and processes collect logs from. */
export const openConsole: OpenOutputs = () => ({
  info: (line) => console.log(line.trimEnd()),
  warn: (line) => console.warn(line.trimEnd()),
  error: (line) => console.error(line.trimEnd()),
})
