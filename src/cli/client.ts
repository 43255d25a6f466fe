import type { Command } from './command.ts'
import { deliver, OUT_OPTIONS, PLACEHOLDER, toOrder } from './deliver.ts'
import { usageError } from './failure.ts'
import { findApp } from './find-app.ts'
import { doJob } from './job.ts'

export const client: Command = {
  summary: 'write the types or the route map of an app for a typed client',
  usage: '[<app>] [options]',
  about: [
    'Writes the types of a version to standard output or a file, so that you can use createClient<Api>() without the',
    'source of the app. With --map, it writes the route map for the option routes of the client. Without --version, you',
    `get the version of requests that name none. If the file name contains ${PLACEHOLDER}, you get one file for each`,
    'version. The app is not started.',
  ],
  examples: [
    'octavo client --version 2 --out src/api.d.ts',
    'octavo client --map --version 2 --out src/routes.json',
    "octavo client --map --out 'routes/{version}.json' --check",
  ],
  positionals: 1,
  options: {
    map: { about: 'write the route map instead of the types' },
    version: { value: '<version>', about: 'the version to write' },
    host: { value: '<host>', about: 'the host of the app, if versions are read from the host' },
    ...OUT_OPTIONS,
  },
  run: async (given, setting) => {
    const isMap = given.has('map')
    const host = given.value('host')
    if (!isMap && host !== undefined) throw usageError('--host requires --map')
    const order = { ...toOrder(given), format: isMap ? 'json' : 'text' } as const
    const module = findApp(given.positionals[0], setting.cwd)
    const named = host === undefined ? {} : { host }
    const task = isMap ? 'client' : 'types'
    const made = await doJob({ task, module, wanted: order.wanted, ...named }, setting)
    if (made?.kind !== 'documents') return 1
    return deliver(made, order, setting.cwd)
  },
}
