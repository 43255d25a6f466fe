import { type CommandError, failure } from './command.ts'
import type { App } from '../server/app/app.ts'
import { isFunction, isObject } from '../base/values.ts'

const MEMBERS = ['routes', 'versions', 'openapi', 'ready', 'listen', 'close']

/** The exports that may hold an application, in the order in which they are asked. */
const NAMES = ['app', 'default', 'versions']

/**
 * Returns the application that a module exports as `app`, `default` or `versions`: itself, a promise of it, or the result of a function. @throws `CommandError` when there is none, and what a function throws.
 */
export async function appOf(exported: object, label: string): Promise<App> {
  for (const source of [exported, Object(Reflect.get(exported, 'default'))])
    for (const name of NAMES) {
      const value = await settleExport(Reflect.get(source, name))
      if (isExportedApp(value)) return value
    }
  throw noApp(exported, label)
}

async function settleExport(exported: unknown): Promise<unknown> {
  const value: unknown = await exported
  if (typeof value !== 'function' || /^class\b/.test(Function.prototype.toString.call(value))) return value
  const result: unknown = await Reflect.apply(value, undefined, [])
  return result
}

function isExportedApp(value: unknown): value is App {
  return isObject(value) && MEMBERS.every((name) => isFunction(Reflect.get(value, name)))
}

function noApp(exported: object, label: string): CommandError {
  const names = Object.keys(exported).filter((name) => name !== 'module.exports' && name !== '__esModule')
  const found = names.map((name) => `${name} (${exportKind(Reflect.get(exported, name))})`)
  const what = found.length === 0 ? 'no values' : found.join(', ')
  return failure(
    `${label} exports no application: it exports ${what}`,
    'export your application as app or default: the result of createApp, a promise of it, or a function that returns it',
    'export const app = createApp(AppModule)',
  )
}

function exportKind(value: unknown): string {
  if (value === null) return 'null'
  const kind: unknown = Reflect.get(Object(value), 'kind')
  if (typeof value === 'object' && typeof kind === 'string') return `a ${kind}`
  return typeof value === 'object' || typeof value === 'undefined' ? typeof value : `a ${typeof value}`
}
