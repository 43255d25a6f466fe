import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createFolder, findMain, FROM_SOURCE, ROOT, start } from '../support/octavo.ts'

// what an application does when it is told to listen, without the time that loading Octavo takes
const SERVER = `
import { channel } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import { word } from './word.js'
let server
const listen = async ({ port }) => {
  channel('octavo.listen.start').publish({})
  server = createServer((_request, response) => response.end(word))
  await new Promise((resolve) => server.listen(port, resolve))
  process.once('SIGTERM', () => process.exit(0)).once('SIGINT', () => process.exit(0))
  const url = 'http://localhost:' + server.address().port
  channel('octavo.listen.end').publish({ url })
  return url
}
const nothing = () => []
export const app = { routes: nothing, printRoutes: nothing, versions: nothing, openapi: nothing, ready: nothing, close: nothing, listen }
`

const folders: { remove: () => void }[] = []
const children = new Set<ChildProcess>()
const tools = createFolder()
let main = ''

before(async () => {
  main = await findMain()
})
after(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const { remove } of [tools, ...folders]) remove()
})

interface Session {
  readonly child: ChildProcess
  readonly write: (name: string, text: string) => void
  /** Writes another file and renames it, as editors do. */
  readonly replace: (name: string, text: string) => void
  /** Waits for something in standard error that was not waited for yet. */
  readonly until: (expected: RegExp) => Promise<RegExpExecArray>
  readonly output: () => string
}

function dev(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = ['app.js', '--port', '0'],
  node: readonly string[] = [main],
): Session {
  const folder = createFolder({ 'word.js': "export const word = 'one'", ...files })
  folders.push(folder)
  const child = start(['dev', ...args], { cwd: folder.path, node })
  children.add(child)
  child.once('close', () => children.delete(child))
  let text = ''
  let from = 0
  child.stdout?.on('data', (chunk) => (text += String(chunk)))
  child.stderr?.on('data', (chunk) => (text += String(chunk)))
  const until = async (expected: RegExp): Promise<RegExpExecArray> => {
    for (const deadline = Date.now() + 120_000; ; await sleep(20)) {
      const found = expected.exec(text.slice(from))
      if (found !== null) {
        from += found.index + found[0].length
        return found
      }
      assert.ok(Date.now() < deadline && child.exitCode === null, `no ${String(expected)} in\n${text}`)
    }
  }
  const replace = (name: string, content: string): void => {
    folder.write(`${name}~`, content)
    renameSync(join(folder.path, `${name}~`), join(folder.path, name))
  }
  return { child, write: folder.write, replace, until, output: () => text }
}

async function end({ child }: Session, signal: NodeJS.Signals = 'SIGINT'): Promise<unknown> {
  const closed = once(child, 'exit')
  child.kill(signal)
  const [code] = await closed
  return code
}

async function bodyOf(url = ''): Promise<string> {
  const response = await fetch(url)
  return response.text()
}

const READY = /(Started|Restarted) in \d+ ms: (http:\S+) \(watching (\d+) files\)/

/** Whether a process runs; one that has ended and that nobody asked for its exit code does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('octavo dev', { concurrency: 3 }, () => {
  it('serves an app, and starts it again when a file that it uses changes', async () => {
    const session = dev({ 'app.js': SERVER, 'other.js': '' })
    const [, verb, url, files] = await session.until(READY)
    // the app, the word, and .env
    assert.deepEqual([verb, files], ['Started', '3'])
    assert.equal(await bodyOf(url), 'one')
    session.write('other.js', 'nobody uses this')
    session.write('word.js', "export const word = 'two'")
    await session.until(/Changed: word\.js\n/)
    const [, again, next] = await session.until(READY)
    assert.equal(again, 'Restarted')
    assert.equal(await bodyOf(next), 'two')
    assert.equal(await end(session), 0)
  })

  it('starts it again whenever an editor replaces a file, and when .env is created', async () => {
    const session = dev({ 'app.js': SERVER })
    await session.until(READY)
    for (const word of ['two', 'three']) {
      session.replace('word.js', `export const word = '${word}'`)
      await session.until(/Changed: word\.js\n/)
      const [, , url] = await session.until(READY)
      assert.equal(await bodyOf(url), word)
    }
    session.write('.env', 'A=1')
    await session.until(/Changed: \.env\n/)
    await session.until(READY)
    assert.equal(await end(session), 0)
  })

  it('shows what went wrong once, and waits for the change that mends it', async () => {
    const session = dev({ 'app.js': SERVER, 'word.js': "import './gone.js'\nexport const word = 'three'" })
    await session.until(/Cannot find module '.*gone\.js' imported from .*word\.js/)
    await session.until(/The app failed \(exit code 1\). Waiting for a change/)
    session.write('gone.js', '')
    await session.until(/Changed: gone\.js\n/)
    await session.until(READY)
    session.write('word.js', 'export const word = = 5')
    await session.until(/word\.js:1\n[\s\S]*SyntaxError[\s\S]*Waiting for a change/)
    session.write(
      'word.js',
      "process.on('SIGUSR2', () => { throw new Error('later') })\nexport const word = String(process.pid)",
    )
    const [, , url] = await session.until(READY)
    process.kill(Number(await bodyOf(url)), 'SIGUSR2')
    await session.until(/Error: later[\s\S]*exit code 1\). Waiting for a change/)
    assert.equal(session.output().match(/Error: later/g)?.length, 1)
    assert.equal(await end(session), 130)
  })

  it('lists mistakes in definitions, without a stack', async () => {
    const mistake = `export const word = 1
const fail = () => { throw Object.assign(new Error('long'), { name: 'DefinitionError', errors: [{ code: 'invalid_path', where: 'car.one', message: 'is wrong', fix: 'mend it' }] }) }
`
    const session = dev({ 'app.js': SERVER, 'word.js': `${mistake}fail()` })
    await session.until(
      /1 error in the definitions\n\n {2}car\.one \[invalid_path\]\n {4}is wrong\n {4}fix: mend it\nThe app failed/,
    )
    // it may have listened by then
    session.write('word.js', `${mistake}setTimeout(fail, 50)`)
    await session.until(
      /1 error in the definitions\n\n {2}car\.one \[invalid_path\]\n {4}is wrong\n {4}fix: mend it\n(?:Restarted .*\n)?The app failed/,
    )
    assert.doesNotMatch(session.output(), /\n\s+at /)
    assert.equal(await end(session, 'SIGTERM'), 143)
  })

  it('leaves a module alone that listens by itself, with arguments and PORT', async () => {
    const session = dev(
      {
        'main.js':
          "import { app } from './app.js'\nconsole.log(process.argv[2], process.env.PORT, process.argv[1] === import.meta.filename)\nawait app.listen({ port: 0 })",
        'app.js': SERVER,
      },
      ['main.js', '--port', '4711', '--', '--fast'],
    )
    await session.until(/^--fast 4711 true\n/)
    await session.until(READY)
    assert.equal(await end(session), 0)
  })

  it('leaves servers alone that are not made by listen', async () => {
    const session = dev({
      'app.js':
        "import { createServer } from 'node:http'\ncreateServer().listen(0, () => console.log('mine'))\nexport const app = 1",
    })
    await session.until(/Started in \d+ ms \(watching 2 files\)/)
    // a signal that nothing handles
    assert.equal(await end(session, 'SIGTERM'), 143)
  })

  it('says that there is nothing to serve', async () => {
    const session = dev({ 'app.js': 'export const car = 1' })
    await session.until(
      /octavo: app\.js exports no application: it exports car \(a number\)[\s\S]*Waiting for a change/,
    )
    session.write('app.js', SERVER)
    await session.until(READY)
    assert.equal(await end(session), 0)
  })

  it('says that the module has ended', async () => {
    const session = dev({ 'app.js': 'process.exit(0)' })
    await session.until(/The app has ended. Waiting for a change/)
    await end(session)
  })

  it('ends what does not end, and what it started', async () => {
    const stubborn = `${SERVER}
import { spawn } from 'node:child_process'
process.on('SIGTERM', () => {}).on('SIGINT', () => {})
process.exit = () => {}
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
console.log('pids', process.pid, child.pid)
`
    const session = dev({ 'app.js': stubborn })
    const [, first, grandchild] = await session.until(/pids (\d+) (\d+)/)
    await session.until(READY)
    session.write('word.js', 'export const word = 4')
    const [, second, last] = await session.until(/pids (\d+) (\d+)/)
    assert.deepEqual([first, grandchild].map(Number).filter(isAlive), [])
    await session.until(READY)
    session.child.kill('SIGINT')
    await sleep(100)
    assert.equal(await end(session), 130)
    await sleep(50)
    assert.deepEqual([second, last].map(Number).filter(isAlive), [])
  })

  it('leaves nothing behind when it is killed', async () => {
    const session = dev({ 'app.js': `${SERVER}\nconsole.log('pid', process.pid)` })
    const [, pid] = await session.until(/pid (\d+)/)
    await session.until(READY)
    await end(session, 'SIGKILL')
    for (let tries = 0; isAlive(Number(pid)) && tries < 1_200; tries++) await sleep(50)
    assert.equal(isAlive(Number(pid)), false)
  })

  it('runs a real app in TypeScript from its source', async () => {
    const example = "export { app } from '../../../../examples/hello/main.ts'\n"
    const session = dev(
      { 'app.ts': example },
      ['app.ts', '-p', '0'],
      [
        ...FROM_SOURCE.map((part) => (part === 'tsx' ? import.meta.resolve('tsx') : part)),
        `${ROOT}/src/cli/main.ts`,
      ],
    )
    const [, , url] = await session.until(READY)
    assert.equal(await bodyOf(url), '{"message":"Hello, world"}')
    assert.equal(await end(session), 0)
  })
})
