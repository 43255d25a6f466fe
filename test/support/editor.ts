import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { linkPackage } from './package.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Stands for the cursor in a program. */
const CURSOR = '‸'

/** What is shown when the pointer rests on a name. */
export interface Hover {
  readonly text: string
  readonly documentation: string
}

/** What is underlined: the text, and the message with all its details. */
export interface Mistake {
  readonly at: string
  readonly message: string
}

/** What completion offers. */
interface Entry {
  readonly name: string
  readonly kind: string
}

interface Message {
  readonly request_seq?: number
  readonly success?: boolean
  readonly message?: string
  readonly body?: unknown
}

interface Place {
  readonly line: number
  readonly offset: number
}

/** A program in TypeScript's own server for editors, in the last version that is written in JavaScript, which most editors have. */
export class Editor {
  readonly #folder: string
  readonly #file: string
  readonly #server: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (message: Message) => void>()
  #received = ''
  #sent = 0

  /** Programs find the package as it is shipped, whose declarations take a fraction of the time that its sources take. */
  constructor() {
    const temporary = join(ROOT, 'test/types/.tmp')
    mkdirSync(temporary, { recursive: true })
    this.#folder = mkdtempSync(join(temporary, 'editor-'))
    this.#file = join(this.#folder, 'program.ts')
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, customConditions: [] },
      include: [],
      files: ['program.ts'],
    }
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(this.#file, '')
    // a package of its own, so that the name means the shipped one and not the one around it
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify({ name: 'program', type: 'module' }))
    linkPackage(this.#folder)
    const main = createRequire(import.meta.url).resolve('typescript-5.9/lib/tsserver.js')
    this.#server = spawn(process.execPath, [main, '--disableAutomaticTypingAcquisition'])
    this.#server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#receive(chunk)
    })
    this.#tell('configure', { preferences: { includeCompletionsForModuleExports: false } })
    this.#tell('open', { file: this.#file, fileContent: '' })
  }

  /** The names that completion offers at the cursor, with their documentation if it is asked for. */
  async complete(program: string): Promise<readonly string[]> {
    const entries = await this.#entries(program)
    return entries.filter(({ kind }) => kind !== 'warning').map(({ name }) => name)
  }

  /** Says of each name that completion offers at the cursor what is documented of it. */
  async explain(program: string): Promise<Readonly<Record<string, string>>> {
    const names = await this.complete(program)
    const body = await this.#ask('completionEntryDetails', { ...this.#placeOf(program), entryNames: names })
    const details = body as readonly { readonly name: string; readonly documentation?: Texts }[]
    return Object.fromEntries(details.map(({ name, documentation }) => [name, toText(documentation)]))
  }

  /** What is shown for the name right behind the cursor. */
  async hover(program: string): Promise<Hover> {
    this.#show(program)
    const body = await this.#ask('quickinfo', this.#placeOf(program))
    const { displayString, documentation } = body as { displayString: string; documentation: Texts }
    return { text: displayString, documentation: toText(documentation) }
  }

  async mistakes(program: string): Promise<readonly Mistake[]> {
    this.#show(program)
    const body = await this.#ask('semanticDiagnosticsSync', { file: this.#file })
    const lines = program.split('\n')
    return (body as readonly { start: Place; end: Place; text: string }[]).map(({ start, end, text }) => ({
      at:
        start.line === end.line
          ? (lines[start.line - 1] ?? '').slice(start.offset - 1, end.offset - 1)
          : (lines[start.line - 1] ?? '').slice(start.offset - 1),
      message: text,
    }))
  }

  /** Ends the server. */
  close(): void {
    this.#server.kill()
    rmSync(this.#folder, { recursive: true })
  }

  async #entries(program: string): Promise<readonly Entry[]> {
    this.#show(program)
    const body = await this.#ask('completionInfo', this.#placeOf(program))
    return (body as { readonly entries: readonly Entry[] } | undefined)?.entries ?? []
  }

  #placeOf(program: string): object {
    const before = program.slice(0, program.indexOf(CURSOR)).split('\n')
    return { file: this.#file, line: before.length, offset: (before.at(-1)?.length ?? 0) + 1 }
  }

  #show(program: string): void {
    this.#tell('open', { file: this.#file, fileContent: program.replace(CURSOR, '') })
  }

  #tell(command: string, options: object): number {
    const seq = (this.#sent += 1)
    this.#server.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: options })}\n`)
    return seq
  }

  async #ask(command: string, options: object): Promise<unknown> {
    const seq = this.#tell(command, options)
    const message = await new Promise<Message>((resolve) => this.#waiting.set(seq, resolve))
    if (message.success === true) return message.body
    if (message.message === 'No content available.') return undefined
    throw new Error(`${command}: ${message.message ?? ''}`)
  }

  /** Messages have a header with their length, and end with a line feed that counts. */
  #receive(chunk: string): void {
    this.#received += chunk
    const lines = this.#received.split('\n')
    this.#received = lines.pop() ?? ''
    for (const line of lines.filter((text) => text.startsWith('{'))) {
      const message = JSON.parse(line) as Message
      const answer = this.#waiting.get(message.request_seq ?? 0)
      if (message.request_seq !== undefined) this.#waiting.delete(message.request_seq)
      answer?.(message)
    }
  }
}

type Texts = string | readonly { readonly text: string }[] | undefined

function toText(texts: Texts = ''): string {
  return typeof texts === 'string' ? texts : texts.map(({ text }) => text).join('')
}
