import { nearest, readArguments } from './arguments.ts'
import { client } from './client.ts'
import type { Command, Setting } from './command.ts'
import { dev } from './dev/dev.ts'
import { changelog } from './gate/changelog.ts'
import { check } from './gate/check.ts'
import { diff } from './gate/diff.ts'
import { snapshot } from './gate/snapshot.ts'
import { CommandError, InputError, usageError } from './failure.ts'
import { commandHelp, generalHelp } from './help.ts'
import { importApi } from './import/import.ts'
import { init } from './init/init.ts'
import { openapi } from './openapi.ts'
import { release } from './release/release.ts'
import { say, sayError } from './print-error.ts'
import { routes } from './routes.ts'
import { retire } from './usage/retire.ts'
import { versions } from './versions.ts'
import { styleFor } from '../base/style.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  init,
  import: importApi,
  dev,
  routes,
  versions,
  retire,
  release,
  openapi,
  client,
  diff,
  snapshot,
  check,
  changelog,
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
    say(generalHelp(COMMANDS, styleFor(process.stderr)))
    return 2
  }
  if (name === '--version' || name === '-v') return print(setting.manifest.version)
  if (name === 'help' || name === '--help' || name === '-h') return printHelp(rest[0])
  const command = findCommand(name)
  if (isHelpWanted(rest)) return printHelp(name)
  return command.run(readArguments(rest, command), setting)
}

/** Whether the arguments before `--` ask for help. */
function isHelpWanted(rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  return (end < 0 ? rest : rest.slice(0, end)).some((argument) => argument === '--help' || argument === '-h')
}

function printHelp(name: string | undefined): number {
  const style = styleFor(process.stdout)
  return print(
    name === undefined ? generalHelp(COMMANDS, style) : commandHelp(name, findCommand(name), style),
  )
}

/** @throws `CommandError` for a command that does not exist. */
function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command !== undefined) return command
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
