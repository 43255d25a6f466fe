import type { Command } from './command.ts'
import { deliver, OUT_OPTIONS, PLACEHOLDER, toOrder } from './deliver.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'

export const openapi: Command = {
  summary: 'write the OpenAPI documents of an app',
  usage: '[<app>] [options]',
  about: [
    'Writes one document of all versions, or the document of one version, to standard output or a file. If the file',
    `name contains ${PLACEHOLDER}, you get one file for each version. The app is not started.`,
  ],
  examples: [
    'octavo openapi > openapi.json',
    'octavo openapi src/app.ts --version 2 --out openapi.yaml',
    "octavo openapi --out 'openapi/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    version: { value: '<version>', about: 'the version to write' },
    all: { about: 'write one document of all versions (the default)' },
    out: OUT_OPTIONS.out,
    format: { value: '<json|yaml>', about: 'the format (by the extension of the file, else json)' },
    check: OUT_OPTIONS.check,
  },
  run: async (given, setting) => {
    const order = toOrder(given)
    const module = findApp(given.positionals[0], setting.cwd)
    const made = await doJob({ task: 'openapi', module, wanted: order.wanted }, setting)
    if (made?.kind !== 'documents') return 1
    return deliver(made, order, setting.cwd)
  },
}
