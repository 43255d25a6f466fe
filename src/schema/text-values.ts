/** Turns text into a value, or `undefined` if the text is not one. */
export type FromText = (text: string) => unknown

/** Longer digit strings are not read: `BigInt` takes quadratic time for them. */
const MAX_DIGITS = 1000

/** Decimal only: no exponent, no hexadecimal, no blanks, no `NaN` and no `Infinity`. */
export function numberFromText(text: string): number | undefined {
  const whole = wholeFromText(text)
  if (whole !== undefined) return whole
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The longest text whose digits are added up: no number of so many loses a digit. */
const MAX_WHOLE = 15

/** A short text of digits alone, which most numbers are: an expression takes longer to start than they take to be read. */
function wholeFromText(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_WHOLE) return undefined
  let value = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = 10 * value + digit
  }
  return value
}

/** A whole number of any size, up to 1,000 digits. */
export function bigintFromText(text: string): bigint | undefined {
  return text.length <= MAX_DIGITS && /^-?\d+$/.test(text) ? BigInt(text) : undefined
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
])

/** `true false 1 0 yes no on off`, in any case. */
export function booleanFromText(text: string): boolean | undefined {
  return text.length <= 5 ? BOOLEANS.get(text.toLowerCase()) : undefined
}

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/** An ISO 8601 date or date and time in the real calendar; without an offset it is UTC. */
export function dateFromText(text: string): Date | undefined {
  const [, year, month, day, hour, offset] = ISO_DATE.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return undefined
  return new Date(hour !== undefined && offset === undefined ? `${text}Z` : text)
}

/** One of the given values: by its own text, or as the number, bigint or boolean that the text means. */
export function oneOfFromText(values: readonly unknown[]): FromText {
  const known = new Set(values)
  const readers: readonly FromText[] = [(text) => text, numberFromText, bigintFromText, booleanFromText]
  return (text) => {
    for (const read of readers) {
      const value = read(text)
      if (known.has(value)) return value
    }
    return undefined
  }
}
