import type { Command } from './command.ts'
import type { Style } from './style.ts'
import { toTable } from './table.ts'

/** Rows of an indented list with a text behind each name. */
function toList(rows: readonly (readonly [name: string, about: string])[], style: Style): readonly string[] {
  const [, ...lines] = toTable([{ title: '', style: style.cyan }, { title: '' }], rows)
  return lines.map((line) => `  ${line}`)
}

/** The help of `octavo`. */
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
        ['help <command>', 'what a command does, and its options; the same as octavo <command> --help'],
        ['--version', 'the version of octavo'],
      ],
      style,
    ),
    '',
    '<app> is a module, in TypeScript or JavaScript, whose app or default export is what createApp returns, a',
    'promise of it, or a function that gives it. Without it: octavo.app in package.json, else src/app.ts,',
    'src/app.js, app.ts, app.js or dist/app.js.',
    '',
    'Exit codes: 0 done, 1 failed, 2 not understood.',
  ].join('\n')
}

/** The help of a command. */
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
    ...toList([...options, ['-h, --help', 'this text']], style),
    '',
    ...command.examples.map((example) => `  ${style.dim('$')} ${example}`),
  ].join('\n')
}
