import type { Arguments, ArgumentSpec } from './arguments.ts'

/** Where a command runs, and what it may know of this program. */
export interface Setting {
  /** The file of this program: children run it again. */
  readonly main: string
  /** The manifest of the package that this program belongs to. */
  readonly manifest: Manifest
  readonly cwd: string
}

/** The members of this package's manifest that are read. */
export interface Manifest {
  readonly version: string
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** A command of `octavo`. */
export interface Command extends ArgumentSpec {
  /** One line for the list of commands. */
  readonly summary: string
  /** The arguments after the name of the command. */
  readonly usage: string
  /** A description, line by line. */
  readonly about: readonly string[]
  readonly examples: readonly string[]
  /** Returns the exit code. */
  readonly run: (given: Arguments, setting: Setting) => Promise<number>
}
