import { type Command, CommandError, InputError, say, type Setting, usageError } from './command.ts'
import { nearest, readArguments } from './arguments.ts'
import { commandHelp, generalHelp } from './help.ts'
import { sayError } from './print-error.ts'
import { styleFor } from '../base/style.ts'

/** The commands. Each is loaded when it is asked for, because all of them together take longer than most do. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init/init.ts')).init,
  import: async () => (await import('./import/import.ts')).importApi,
  dev: async () => (await import('./dev/dev.ts')).dev,
  routes: async () => (await import('./routes.ts')).routes,
  versions: async () => (await import('./versions.ts')).versions,
  retire: async () => (await import('./usage/retire.ts')).retire,
  release: async () => (await import('./release/release.ts')).release,
  openapi: async () => (await import('./documents.ts')).openapi,
  client: async () => (await import('./documents.ts')).client,
  diff: async () => (await import('./gate/diff.ts')).diff,
  snapshot: async () => (await import('./gate/snapshot.ts')).snapshot,
  check: async () => (await import('./gate/check.ts')).check,
  changelog: async () => (await import('./gate/changelog.ts')).changelog,
}

/** Runs a command line. Returns the exit code: 0 for success, 1 for failure, 2 for invalid arguments. */
export async function run(given: readonly string[], setting: Setting): Promise<number> {
  const [name, ...rest] = given
  try {
    return await runCommand(name, rest, setting)
  } catch (error) {
    sayError(error)
    if (!(error instanceof CommandError)) return 1
    const of = name !== undefined && Object.hasOwn(COMMANDS, name) ? ` ${name}` : ''
    if (error.exitCode === 2 && !(error instanceof InputError)) say(`  run octavo help${of} for the options`)
    return error.exitCode
  }
}

async function runCommand(
  name: string | undefined,
  rest: readonly string[],
  setting: Setting,
): Promise<number> {
  if (name === undefined) {
    say(generalHelp(await loadAll(), styleFor(process.stderr)))
    return 2
  }
  if (name === '--version' || name === '-v') return print(setting.manifest.version)
  if (name === 'help' || name === '--help' || name === '-h') return printHelp(rest[0])
  const command = await findCommand(name)
  if (isHelpWanted(rest)) return printHelp(name)
  return command.run(readArguments(rest, command), setting)
}

/** Whether the arguments before `--` ask for help. */
function isHelpWanted(rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  return (end < 0 ? rest : rest.slice(0, end)).some((argument) => argument === '--help' || argument === '-h')
}

async function printHelp(name: string | undefined): Promise<number> {
  const style = styleFor(process.stdout)
  return print(
    name === undefined
      ? generalHelp(await loadAll(), style)
      : commandHelp(name, await findCommand(name), style),
  )
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
  const meant = nearest(name, names)
  throw usageError(
    `unknown ${what} ${name}`,
    meant === undefined ? `use one of ${Object.keys(COMMANDS).join(', ')}` : `did you mean ${meant}?`,
  )
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
