import type { Command } from './command.ts'
import type { Style } from '../base/style.ts'
import { toTable } from './table.ts'

/** Formats an indented list of names, each followed by its text. */
function toList(rows: readonly (readonly [name: string, about: string])[], style: Style): readonly string[] {
  const [, ...lines] = toTable([{ title: '', style: style.cyan }, { title: '' }], rows)
  return lines.map((line) => `  ${line}`)
}

/** Returns the help of `octavo`. */
export function generalHelp(commands: Readonly<Record<string, Command>>, style: Style): string {
  return [
    `${style.bold('octavo')} <command> [options]`,
    '',
    ...toList(
      Object.entries(commands).map(([name, { summary }]) => [name, summary] as const),
      style,
    ),
    '',
    ...toList(
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
export function commandHelp(name: string, command: Command, style: Style): string {
  const options = Object.entries(command.options).map(
    ([long, { value = '', short, about }]) =>
      [`${short === undefined ? '    ' : `-${short}, `}--${long} ${value}`.trimEnd(), about] as const,
  )
  return [
    `${style.bold(`octavo ${name}`)} ${command.usage}`,
    '',
    ...command.about,
    '',
    ...toList([...options, ['-h, --help', 'show this help']], style),
    '',
    ...command.examples.map((example) => `  ${style.dim('$')} ${example}`),
  ].join('\n')
}
