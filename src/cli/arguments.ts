import { parseArgs } from 'node:util'

import { editDistance } from '../base/edit-distance.ts'
import { usageError, type Arguments, type ArgumentSpec, type OptionSpec } from './command.ts'

/**
 * Reads the arguments of a command.
 *
 * @throws `CommandError` for options that do not exist, lack their value or have one too many, and for arguments too many.
 */
export function readArguments(given: readonly string[], spec: ArgumentSpec): Arguments {
  const options = Object.entries(spec.options).map(([name, option]) => {
    const { short } = option
    const type = valueText(option) === undefined ? 'boolean' : 'string'
    return [name, { type, ...(short === undefined ? {} : { short }) } as const]
  })
  const { tokens } = parseArgs({
    args: [...given],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const found = new Map<string, string[]>()
  const positionals: string[] = []
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? given.length
  for (const token of tokens) {
    if (token.index > end) continue
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(spec.options, name) ? spec.options[name] : undefined
    checkOption(option, { rawName, value, isInline: inlineValue ?? false }, Object.keys(spec.options))
    found.set(name, [...(found.get(name) ?? []), value ?? ''])
  }
  const rest = given.slice(end + 1)
  const excess = positionals[spec.positionals] ?? (spec.passesOn === true ? undefined : rest[0])
  if (excess !== undefined) throw usageError(`unexpected argument "${excess}"`)
  const values = (option: string): readonly string[] => found.get(option) ?? []
  const valueOf = (option: string): string | undefined => values(option).at(-1)
  return {
    positionals,
    rest,
    all: given,
    values,
    has: (option) => found.has(option),
    value: valueOf,
    isJson: valueOf('format') === 'json',
  }
}

/** The value of an option as the help shows it. `undefined` for a switch. */
export function valueText({ value, choices }: OptionSpec): string | undefined {
  return value ?? (choices && `<${choices.join('|')}>`)
}

interface GivenOption {
  readonly rawName: string
  readonly value: string | undefined
  readonly isInline: boolean
}

function checkOption(
  option: OptionSpec | undefined,
  { rawName, value, isInline }: GivenOption,
  names: readonly string[],
): void {
  if (option === undefined) {
    const meant = rawName.startsWith('--') ? nearestName(rawName.slice(2), names) : undefined
    throw usageError(
      `unknown option ${rawName}`,
      ...(meant === undefined ? [] : [`did you mean --${meant}?`]),
    )
  }
  const taken = valueText(option)
  if (taken === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value`)
  } else if (value === undefined || value === '' || (!isInline && /^-./.test(value))) {
    throw usageError(`${rawName} needs a value: ${rawName} ${taken}`)
  } else if (option.choices?.includes(value) === false) {
    throw usageError(`unknown value ${value} of ${rawName}`, `use one of ${option.choices.join(', ')}`)
  }
}

/** Returns the most similar name, or `undefined` if none is similar. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.min(2, name.length - 2)))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.name
}
