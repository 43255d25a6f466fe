import type { Command } from './command.ts'
import { deliver, OUT_OPTIONS, PLACEHOLDER, toOrder } from './deliver.ts'
import { usageError } from './failure.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'

export const client: Command = {
  summary: 'write the types or the route map of an app, for typed clients elsewhere',
  usage: '[<app>] [options]',
  about: [
    'Writes the types of a version, for createClient<Api>() without the source of the app, to standard output or to',
    'a file. With --map it writes how the client calls the routes, for its option routes. Without --version both are',
    `those of requests that name no version. With ${PLACEHOLDER} in the name of the file there is one for each`,
    'version. Nothing of the app is started.',
  ],
  examples: [
    'octavo client --version 2 --out src/api.d.ts',
    'octavo client --map --version 2 --out src/routes.json',
    "octavo client --map --out 'routes/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    map: { about: 'write the route map instead of the types' },
    version: { value: '<version>', about: 'the types or the map of this version' },
    host: { value: '<host>', about: 'where clients reach the app, if hosts name versions' },
    ...OUT_OPTIONS,
  },
  run: async (given, setting) => {
    const isMap = given.has('map')
    const host = given.value('host')
    if (!isMap && host !== undefined) throw usageError('--host is for route maps: give it with --map')
    const order = { ...toOrder(given), format: isMap ? 'json' : 'text' } as const
    const module = findApp(given.positionals[0], setting.cwd)
    const named = host === undefined ? {} : { host }
    const task = isMap ? 'client' : 'types'
    const made = await doJob({ task, module, wanted: order.wanted, ...named }, setting)
    if (made?.kind !== 'documents') return 1
    return deliver(made, order, setting.cwd)
  },
}
