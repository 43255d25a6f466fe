import type { Command } from './command.ts'
import { deliver, OUT_OPTIONS, PLACEHOLDER, toOrder } from './deliver.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'

export const openapi: Command = {
  summary: 'write the OpenAPI documents of an app',
  usage: '[<app>] [options]',
  about: [
    'Writes the document of all versions together, or of one, to standard output or to a file. With',
    `${PLACEHOLDER} in the name of the file there is one for each version. Nothing of the app is started.`,
  ],
  examples: [
    'octavo openapi > openapi.json',
    'octavo openapi src/app.ts --version 2 --out openapi.yaml',
    "octavo openapi --out 'openapi/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    version: { value: '<version>', about: 'the document of this version' },
    all: { about: 'the document of all versions; this is what is written anyway' },
    out: OUT_OPTIONS.out,
    format: { value: '<json|yaml>', about: 'the format (what the name of the file ends in, else json)' },
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
