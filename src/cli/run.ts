import {
  CommandError,
  InputError,
  say,
  usageError,
  sayStyle,
  printStyle,
  print,
  type Command,
  type Outcome,
  type Setting,
} from './command.ts'
import { nearestName, readArguments, valueText } from './arguments.ts'
import { toEnvelope, wantsJson } from './envelope.ts'
import { sayError, toProblems } from './print-error.ts'
import type { Style } from '../base/style.ts'
import { toTable } from './text-table.ts'

/** The commands. Each is loaded when it is asked for, because all of them together take longer than most do. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init/init.ts')).init,
  import: async () => (await import('./import/import.ts')).importApi,
  dev: async () => (await import('./dev/dev.ts')).dev,
  routes: async () => (await import('./routes-command.ts')).routes,
  versions: async () => (await import('./versions-command.ts')).versions,
  retire: async () => (await import('./usage/retire.ts')).retire,
  release: async () => (await import('./release/release.ts')).release,
  openapi: async () => (await import('./write-documents.ts')).openapi,
  client: async () => (await import('./write-documents.ts')).client,
  diff: async () => (await import('./gate/check-command.ts')).diff,
  snapshot: async () => (await import('./gate/snapshot-command.ts')).snapshot,
  check: async () => (await import('./gate/check-command.ts')).check,
  changelog: async () => (await import('./gate/changelog-command.ts')).changelog,
}

/** Runs a command line. Returns the exit code: 0 for success, 1 for failure, 2 for invalid arguments. */
export async function runOctavo(given: readonly string[], setting: Setting): Promise<number> {
  const [name, ...rest] = given
  const known = name !== undefined && Object.hasOwn(COMMANDS, name) ? name : undefined
  const isJson = wantsJson(given)
  try {
    const outcome = await runCommand(name, rest, setting)
    const { exitCode = 0, text = '' } = outcome
    const shown = isJson ? toEnvelope(outcome.command, outcome) : text
    if (shown !== '') print(shown)
    return exitCode
  } catch (error) {
    sayError(error)
    const exitCode = error instanceof CommandError ? error.exitCode : 1
    const isUsage = exitCode === 2 && !(error instanceof InputError)
    const help = ['octavo help', known].filter(Boolean).join(' ')
    const step = { text: `run ${help} for the options`, run: help }
    if (isUsage) say(`  ${step.text}`)
    if (isJson) print(toEnvelope(known, { exitCode, next: isUsage ? [step] : [] }, toProblems(error)))
    return exitCode
  }
}

async function runCommand(
  name: string | undefined,
  rest: readonly string[],
  setting: Setting,
): Promise<Outcome & { readonly command?: string }> {
  if (name === undefined) {
    say(generalHelp(await loadAll(), sayStyle()))
    return { exitCode: 2 }
  }
  const { version } = setting.manifest
  if (name === '--version' || name === '-v') return { text: version, result: { version } }
  if (name === 'help' || name === '--help' || name === '-h') return helpOf(rest[0])
  const command = await findCommand(name)
  const end = rest.indexOf('--')
  const own = end < 0 ? rest : rest.slice(0, end)
  if (own.some((argument) => argument === '--help' || argument === '-h')) return helpOf(name)
  return { ...(await command.run(readArguments(rest, command), setting)), command: name }
}

async function helpOf(name: string | undefined): Promise<Outcome> {
  const style = printStyle()
  if (name === undefined || name.startsWith('--format')) {
    const all = await loadAll()
    const listed = Object.entries(all).map(([each, command]) => describeCommand(each, command))
    return { text: generalHelp(all, style), result: { commands: listed } }
  }
  const command = await findCommand(name)
  return { text: commandHelp(name, command, style), result: describeCommand(name, command) }
}

/** The help of a command as JSON. */
function describeCommand(name: string, { summary, usage, about, examples, options }: Command): object {
  return {
    name,
    summary,
    usage: `octavo ${name} ${usage}`,
    about: about.join(' '),
    examples,
    options: Object.entries(options).map(([long, option]) => ({
      name: `--${long}`,
      value: valueText(option),
      about: option.about,
    })),
  }
}

async function loadAll(): Promise<Readonly<Record<string, Command>>> {
  const loaded = Object.entries(COMMANDS).map(async ([name, load]) => [name, await load()] as const)
  return Object.fromEntries(await Promise.all(loaded))
}

/** @throws `CommandError` for a command that does not exist. */
async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load !== undefined) return load()
  const what = name.startsWith('-') ? 'option' : 'command'
  const names = [...Object.keys(COMMANDS), 'help', '--help', '--version']
  const meant = nearestName(name, names)
  throw usageError(
    `unknown ${what} ${name}`,
    meant === undefined ? `use one of ${Object.keys(COMMANDS).join(', ')}` : `did you mean ${meant}?`,
  )
}

/** Formats an indented list of names, each followed by its text. */
function helpRows(
  rows: readonly (readonly [name: string, about: string])[],
  style: Style,
): readonly string[] {
  const [, ...lines] = toTable([{ title: '', style: style.cyan }, { title: '' }], rows)
  return lines.map((line) => `  ${line}`)
}

/** Returns the help of `octavo`. */
function generalHelp(commands: Readonly<Record<string, Command>>, style: Style): string {
  return [
    `${style.bold('octavo')} <command> [options]`,
    '',
    ...helpRows(
      Object.entries(commands).map(([name, { summary }]) => [name, summary] as const),
      style,
    ),
    '',
    ...helpRows(
      [
        ['help <command>', 'show the help of a command, like octavo <command> --help'],
        ['--version', 'show the version of octavo'],
      ],
      style,
    ),
    '',
    '<app> is a TypeScript or JavaScript module. Export your application from it as app or default: the result of',
    'createApp, a promise of it, or a function that returns it. If you omit <app>, octavo uses octavo.app of',
    'package.json, then src/app.ts, src/app.js, app.ts, app.js or dist/app.js.',
    '',
    'Exit codes: 0 success, 1 failure, 2 invalid arguments.',
  ].join('\n')
}

/** Returns the help of a command. */
function commandHelp(name: string, command: Command, style: Style): string {
  const options = Object.entries(command.options).map(
    ([long, option]) =>
      [
        `${option.short === undefined ? '    ' : `-${option.short}, `}--${long} ${valueText(option) ?? ''}`.trimEnd(),
        option.about,
      ] as const,
  )
  return [
    `${style.bold(`octavo ${name}`)} ${command.usage}`,
    '',
    ...command.about,
    '',
    ...helpRows([...options, ['-h, --help', 'show this help']], style),
    '',
    ...command.examples.map((example) => `  ${style.dim('$')} ${example}`),
  ].join('\n')
}
