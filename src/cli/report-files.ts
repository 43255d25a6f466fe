import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

/** Reports files that modules are loaded from. */
interface Reporter {
  /** Reports the new ones. */
  readonly flush: () => void
}

/**
 * Reports every file that is loaded as a module from now on, and those that are looked for and not there; files of installed packages
 * are left out. Each is reported once.
 */
export function reportFiles(report: (path: string) => void): Reporter {
  const known = new Set<string>()
  const add = (path: string): void => {
    if (known.has(path) || /[/\\]node_modules[/\\]/.test(path)) return
    known.add(path)
    report(path)
  }
  const addUrl = (url: string): void => {
    if (url.startsWith('file:')) add(fileURLToPath(new URL(url.replace(/[?#].*$/s, ''))))
  }
  // of Node 22.15 and later
  const registerHooks: unknown = Reflect.get(nodeModule, 'registerHooks')
  const drain = typeof registerHooks === 'function' ? hookHere(registerHooks, addUrl) : hookInThread(addUrl)
  const { cache } = nodeModule.createRequire(import.meta.url)
  return {
    flush: () => {
      drain()
      // what `require` loads is not seen by the hooks of Node 20
      for (const path of Object.keys(cache)) if (path.startsWith('/') || /^[A-Z]:/i.test(path)) add(path)
    },
  }
}

interface ResolvedModule {
  readonly url: string
}
type NextResolve = (specifier: string, context: object) => ResolvedModule

// Node reports the files itself if WATCH_REPORT_DEPENDENCIES is set, as `node --watch` does. That variable is undocumented, and what the
// app forks inherits it: the app would then receive these reports among the messages of its own processes.

/** The hook of Node 20, which runs in a thread of its own. */
const THREAD_HOOK = `
let port
export const initialize = (data) => { port = data.port }
export const resolve = async (specifier, context, next) => {
  try {
    const resolved = await next(specifier, context)
    port.postMessage(resolved.url)
    return resolved
  } catch (error) {
    if (/^(file:|[.]{0,2}[/])/.test(specifier)) port.postMessage(new URL(specifier, context.parentURL).href)
    throw error
  }
}`

// a Function is what `typeof` shows of it
// oxlint-disable-next-line typescript/no-unsafe-function-type
function hookHere(registerHooks: Function, addUrl: (url: string) => void): () => void {
  const resolve = (
    specifier: string,
    context: { readonly parentURL?: string },
    next: NextResolve,
  ): ResolvedModule => {
    try {
      const resolved = next(specifier, context)
      addUrl(resolved.url)
      return resolved
    } catch (error) {
      if (/^(file:|\.{0,2}\/)/.test(specifier) && URL.canParse(specifier, context.parentURL))
        addUrl(new URL(specifier, context.parentURL).href)
      throw error
    }
  }
  Reflect.apply(registerHooks, undefined, [{ resolve }])
  return () => undefined
}

function hookInThread(addUrl: (url: string) => void): () => void {
  const { port1, port2 } = new MessageChannel()
  nodeModule.register(`data:text/javascript,${encodeURIComponent(THREAD_HOOK)}`, {
    data: { port: port2 },
    transferList: [port2],
  })
  port1.on('message', addUrl)
  port1.unref()
  return () => {
    for (;;) {
      const received: { readonly message: unknown } | undefined = receiveMessageOnPort(port1)
      if (received === undefined) return
      addUrl(String(received.message))
    }
  }
}
