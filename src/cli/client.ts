import type { Command } from './command.ts'
import { deliver, OUT_OPTIONS, PLACEHOLDER, toOrder } from './deliver.ts'
import { usageError } from './failure.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'

export const client: Command = {
  summary: 'write the route map of an app, for clients that do not ask it',
  usage: '[<app>] --map [options]',
  about: [
    'Writes how the typed client calls the routes of a version, for its option routes, to standard output or to a',
    'file. Without --version it is the map of requests that name no version. With',
    `${PLACEHOLDER} in the name of the file there is one for each version. Nothing of the app is started.`,
  ],
  examples: [
    'octavo client --map --version 2 --out src/routes.json',
    "octavo client --map --out 'routes/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    map: { about: 'write the route map' },
    version: { value: '<version>', about: 'the map of this version' },
    host: { value: '<host>', about: 'where clients reach the app, if hosts name versions' },
    ...OUT_OPTIONS,
  },
  run: async (given, setting) => {
    if (!given.has('map')) throw usageError('say what to write: --map is the route map')
    const order = { ...toOrder(given), format: 'json' } as const
    const module = findApp(given.positionals[0], setting.cwd)
    const host = given.value('host')
    const named = host === undefined ? {} : { host }
    const made = await doJob({ task: 'client', module, wanted: order.wanted, ...named }, setting)
    if (made?.kind !== 'documents') return 1
    return deliver(made, order, setting.cwd)
  },
}
