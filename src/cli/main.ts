#!/usr/bin/env node
import { readFileSync } from 'node:fs'

import type { Manifest } from './command.ts'
import { HOST_MARK } from './app-process.ts'
import { sayError } from './print-error.ts'
import { runOctavo } from './run.ts'

/** The reader of the output may leave, as `head` does. The command goes on, because it may have begun to write files. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

const [, , name, request, ...rest] = process.argv
if (name === HOST_MARK && request !== undefined && rest.length === 0) {
  try {
    const { runHost } = await import('./app-host.ts')
    await runHost(request)
  } catch (error) {
    sayError(error)
    process.exitCode = 1
  }
} else {
  process.stdout.on('error', onOutputError)
  process.stderr.on('error', onOutputError)
  // of this package; source and built code have one path
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Manifest
  const setting = { main: import.meta.filename, manifest, cwd: process.cwd() }
  process.exitCode = await runOctavo(process.argv.slice(2), setting)
}
