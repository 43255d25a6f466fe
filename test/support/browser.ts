import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** A window of a browser. */
export interface Tab {
  /** The addresses that were asked for, in order; those of `data:` too. */
  readonly requests: readonly string[]
  /** What the console says: violations of policies, failed requests, exceptions, messages. */
  readonly complaints: readonly string[]
  /** Sets the width and height in CSS pixels, and the colour scheme that its user prefers. */
  readonly look: (width: number, height: number, scheme: 'light' | 'dark') => Promise<void>
  /** Opens an address, and waits for its load event. */
  readonly open: (url: string) => Promise<void>
  /** The value of an expression in the page, as JSON; promises are waited for. */
  readonly evaluate: (expression: string) => Promise<unknown>
  /** Waits until an expression is truthy. */
  readonly until: (expression: string) => Promise<void>
  /** What is in the window, as PNG. */
  readonly screenshot: () => Promise<Buffer>
  readonly close: () => Promise<void>
}

/** A browser that is driven over the DevTools protocol. */
export interface Browser {
  readonly tab: () => Promise<Tab>
  readonly close: () => Promise<void>
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

/** The path of a Chromium; `undefined` when none is installed. `CHROME_PATH` names another. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return [process.env['CHROME_PATH'] ?? '', ...places].find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return path !== ''
    } catch {
      return false
    }
  })
}

type Message = Readonly<Record<string, unknown>>
type Send = (method: string, params?: object) => Promise<Message>

const TIMEOUT = 60_000

/** Starts a browser without windows, which is told and tells everything through two pipes. An answer has `timeout` milliseconds. */
export async function startBrowser(path: string, timeout = TIMEOUT): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-browser-'))
  const child = spawn(
    path,
    [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${folder}`,
      '--no-sandbox',
      '--no-first-run',
      '--no-proxy-server',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
      '--hide-scrollbars',
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const [, , , input, output] = child.stdio
  const { send, listen } = connect(input as Writable, output as Readable, timeout)
  return {
    tab: () => openTab(send, listen),
    close: async () => {
      void send('Browser.close').catch(() => undefined)
      const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
      await exited
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

interface Connection {
  readonly send: (method: string, params?: object, sessionId?: string) => Promise<Message>
  /** Hears the events of a session. */
  readonly listen: (sessionId: string, hear: (method: string, params: Message) => void) => void
}

/** The protocol: JSON, each message ended by a zero byte. */
function connect(input: Writable, output: Readable, timeout: number): Connection {
  const waiting = new Map<number, (message: Message) => void>()
  const listeners = new Map<string, (method: string, params: Message) => void>()
  let last = 0
  let rest = ''
  input.on('error', () => undefined)
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0')
    rest = messages.pop() ?? ''
    for (const text of messages) {
      const message = JSON.parse(text) as Message
      const { id, sessionId, method, params } = message
      if (typeof id === 'number') waiting.get(id)?.(message)
      else listeners.get(String(sessionId))?.(String(method), params as Message)
    }
  })
  return {
    listen: (sessionId, hear) => listeners.set(sessionId, hear),
    send: (method, params = {}, sessionId) => {
      const id = ++last
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${method} gets no answer`)), timeout)
        waiting.set(id, ({ result, error }) => {
          clearTimeout(timer)
          waiting.delete(id)
          if (error === undefined) resolve(result as Message)
          else reject(new Error(`${method}: ${JSON.stringify(error)}`))
        })
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`)
      })
    },
  }
}

async function openTab(sendTo: Connection['send'], listen: Connection['listen']): Promise<Tab> {
  const { browserContextId } = await sendTo('Target.createBrowserContext')
  const { targetId } = await sendTo('Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await sendTo('Target.attachToTarget', { targetId, flatten: true })
  const send: Send = (method, params) => sendTo(method, params, String(sessionId))
  const requests: string[] = []
  const complaints: string[] = []
  let onLoad = (): void => undefined
  listen(String(sessionId), (method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push(String(Object(params['request']).url))
    if (method === 'Log.entryAdded') complaints.push(String(Object(params['entry']).text))
    if (method === 'Runtime.consoleAPICalled') complaints.push(JSON.stringify(params['args']))
    if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params['exceptionDetails']))
    if (method === 'Page.loadEventFired') onLoad()
  })
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(`${domain}.enable`)
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return Object(result).value
  }
  return {
    requests,
    complaints,
    evaluate,
    look: async (width, height, scheme) => {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
      const features = [{ name: 'prefers-color-scheme', value: scheme }]
      await send('Emulation.setEmulatedMedia', { features })
    },
    open: async (url) => {
      const loaded = new Promise<void>((resolve) => {
        onLoad = resolve
      })
      await send('Page.navigate', { url })
      await loaded
    },
    until: async (expression) => {
      const end = Date.now() + TIMEOUT
      for (;;) {
        // a page that is left answers nothing
        const value = await evaluate(`Promise.resolve(${expression}).then(Boolean)`).catch(
          (error: unknown) => {
            if (!/navigated or closed/.test(String(error))) throw error
          },
        )
        if (value === true) return
        if (Date.now() > end) throw new Error(`never true: ${expression}\n${complaints.join('\n')}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    screenshot: async () => {
      const { data } = await send('Page.captureScreenshot', { format: 'png' })
      return Buffer.from(String(data), 'base64')
    },
    close: async () => {
      await sendTo('Target.disposeBrowserContext', { browserContextId })
    },
  }
}
