import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** A file that a page shows as a whole. */
interface WholeFile {
  readonly kind: 'file'
  readonly line: number
  readonly path: string
  readonly text: string
}

/** A change of a file: lines that stay, lines with `-` and lines with `+`. */
interface Edit {
  readonly kind: 'edit'
  readonly line: number
  readonly path: string
  readonly diff: string
}

/** Commands for the terminal, with the output that the fence below shows. */
interface Command {
  readonly kind: 'command'
  readonly line: number
  readonly command: string
  readonly output: Output | undefined
}

/** What the terminal of the server shows. */
interface ServerOutput {
  readonly kind: 'server'
  readonly line: number
  readonly output: Output
}

export interface Output {
  readonly language: 'json' | 'text'
  readonly text: string
}

/** What a reader does with one fence. */
export type Step = WholeFile | Edit | Command | ServerOutput

const FENCE = /^```(\w+)(?: ([\w-]+))?(?: \[(.+)\])?\n([\s\S]*?)^```$/gm
const SERVER = 'npm run dev'

/**
 * Reads the steps of a page from its fences:
 *
 * - `ts [src/app.ts]`, or another language with a label, is a whole file.
 * - `diff [src/app.ts]` changes a file: the lines without `+` have to be in it once.
 * - `sh` is run. A `json` or `text` fence after it is its output, with `…` for text that differs.
 * - `npm run dev` and `npm start` start the server, which starts again if a file has changed. `text [npm run dev]` is a part of its output.
 * - `sh no-run` is left out, such as commands that need a network.
 */
export function readPage(file: string): readonly Step[] {
  const markdown = readFileSync(file, 'utf8')
  const steps: Step[] = []
  for (const match of markdown.matchAll(FENCE)) {
    const [, language = '', mark, label, text = ''] = match
    const line = markdown.slice(0, match.index).split('\n').length
    if (mark === 'no-run') continue
    assert.equal(mark, undefined, `${file}:${line} has the unknown mark "${mark}"`)
    if (label === SERVER) steps.push({ kind: 'server', line, output: { language: 'text', text } })
    else if (language === 'diff' && label !== undefined)
      steps.push({ kind: 'edit', line, path: label, diff: text })
    else if (label !== undefined) steps.push({ kind: 'file', line, path: label, text })
    else if (language === 'sh') steps.push({ kind: 'command', line, command: text, output: undefined })
    else {
      assert.ok(language === 'json' || language === 'text', `${file}:${line} is neither file nor command`)
      const last = steps.at(-1)
      assert.ok(
        last?.kind === 'command' && last.output === undefined,
        `${file}:${line} is the output of no command`,
      )
      steps[steps.length - 1] = { ...last, output: { language, text } }
    }
  }
  return steps
}

/** Changes a text as a diff says, whose lines have to be there once. */
export function applyDiff(before: string, diff: string): string {
  const lines = diff.replace(/\n$/, '').split('\n')
  const sideOf = (sign: '-' | '+'): string =>
    lines
      .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [old, now] = [sideOf('-'), sideOf('+')]
  const parts = `\n${before}`.split(`\n${old}`)
  assert.equal(parts.length, 2, `the file has these lines ${parts.length - 1} times:\n${old}\nin:\n${before}`)
  return parts.join(`\n${now}`).slice(1)
}

/** Whether a text is as shown. `…` stands for any text in a line, and for any lines if it is alone in one. */
export function isShown(shown: string, actual: string): boolean {
  return new RegExp(`^${toPattern(shown)}$`).test(withoutBlankEnds(actual))
}

/** Whether a text has what is shown somewhere, in whole lines. */
export function hasShown(shown: string, actual: string): boolean {
  return new RegExp(`^${toPattern(shown)}$`, 'm').test(withoutBlankEnds(actual))
}

const withoutBlankEnds = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim()

function toPattern(shown: string): string {
  return shown
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/^\s*…\n/gm, '(?:.*\n)*?')
    .replaceAll(/\n\s*…$/g, '(?:\n.*)*')
    .replaceAll('…', '.*?')
}

/** Fails if a JSON value is not as shown. `…` in a text stands for any text. */
export function assertShown(shown: unknown, actual: unknown): void {
  assert.deepEqual(withEllipses(shown, actual), shown)
}

/** The value, with each text that matches one with an ellipsis replaced by that. */
function withEllipses(shown: unknown, actual: unknown): unknown {
  if (typeof shown === 'string' && typeof actual === 'string') return isShown(shown, actual) ? shown : actual
  if (Array.isArray(shown) && Array.isArray(actual))
    return actual.map((item, index) => withEllipses(shown[index], item))
  if (typeof shown === 'object' && typeof actual === 'object' && shown !== null && actual !== null)
    return Object.fromEntries(
      Object.entries(actual).map(([name, value]) => [name, withEllipses(Reflect.get(shown, name), value)]),
    )
  return actual
}
