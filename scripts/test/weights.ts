/** Seconds that a file takes once it is loaded, measured on one core, where they are more than half a second. Only the balance depends on them. */
export const SECONDS: Readonly<Record<string, number>> = {}

const OTHERS = 0.2

/** An estimate of the seconds that a file takes. */
export function weightOf(file: string): number {
  return SECONDS[file] ?? OTHERS
}
