import type { OptionRule } from '../../base/definition-error.ts'

/** The fewest characters of a secret. */
export const MIN_SECRET = 32

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= MIN_SECRET

/** The rule of the option `secret`: the first one signs, and all are accepted. */
export const SECRET: OptionRule = [
  (value) => (Array.isArray(value) ? value.length > 0 && value.every(isSecret) : isSecret(value)),
  `text of ${MIN_SECRET} characters or more, or a list of such`,
]

/** The secrets of the option `secret`, the one that signs first. */
export function toSecrets(secret: string | readonly string[]): readonly string[] {
  return typeof secret === 'string' ? [secret] : secret
}
