import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { installPackage } from '../support/package.ts'
import { FOLDER, ROOT } from '../support/program.ts'

const items = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  name: `Item ${index}`,
  category: 'tools',
  price: index * 3 + 1,
  quantity: index + 2,
  active: index % 2 === 0,
  tags: ['a', 'b'],
  rating: { score: 4.5, count: index },
}))

/** A port that was free a moment ago. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('the entry for HttpArena', () => {
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'httparena-'))
  let url = ''
  let server: ChildProcess | undefined
  before(async () => {
    cpSync(join(ROOT, 'bench/httparena'), folder, { recursive: true })
    await installPackage(folder)
    mkdirSync(join(folder, 'data/static'), { recursive: true })
    writeFileSync(join(folder, 'data/dataset.json'), JSON.stringify(items))
    writeFileSync(join(folder, 'data/static/app.js'), `export const text = '${'x'.repeat(5000)}'\n`)
    const port = await findPort()
    url = `http://127.0.0.1:${port}`
    server = spawn(process.execPath, ['--import', 'tsx', 'server.ts'], {
      cwd: folder,
      env: { ...process.env, DATA: join(folder, 'data'), PORT: `${port}`, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    for (let tries = 0; tries < 300; tries++) {
      if (
        await fetch(`${url}/pipeline`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return
      await sleep(100)
    }
    assert.fail('the server does not answer')
  })
  after(async () => {
    if (server?.exitCode === null) {
      server.kill('SIGTERM')
      await new Promise((resolve) => server?.once('exit', resolve))
    }
    rmSync(folder, { recursive: true })
  })
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, type: string): Promise<Response> =>
    fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } })

  it('adds up the numbers of the query and the body, as text', async () => {
    const got = await fetch(`${url}/baseline11?a=13&b=42`)
    assert.equal(await got.text(), '55')
    assert.match(got.headers.get('content-type') ?? '', /^text\/plain/)
    const posted = await post('/baseline11?a=13&b=42', '20', 'text/plain')
    assert.equal(await posted.text(), '75')
    assert.match(posted.headers.get('content-type') ?? '', /^text\/plain/)
    assert.equal(await (await fetch(`${url}/pipeline`)).text(), 'ok')
  })
  it('multiplies items', async () => {
    for (const [count, by] of [
      [12, 3],
      [50, 5],
    ] as const) {
      const response = await fetch(`${url}/json/${count}?m=${by}`, {
        headers: { 'accept-encoding': 'identity' },
      })
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(response.headers.get('content-encoding'), null)
      const expected = items
        .slice(0, count)
        .map((item) => ({ ...item, total: item.price * item.quantity * by }))
      assert.deepEqual(await response.json(), { items: expected, count })
    }
    const compressed = await fetch(`${url}/json/50?m=1`, { headers: { 'accept-encoding': 'gzip, br' } })
    assert.match(compressed.headers.get('content-encoding') ?? '', /^(br|gzip)$/)
    assert.equal(JSON.parse(await compressed.text()).count, 50)
  })
  it('counts the bytes of uploads', async () => {
    for (const size of [17, 512_000, 20_971_520]) {
      const counted = await post('/upload', new Uint8Array(size), 'application/octet-stream')
      assert.equal(await counted.text(), `${size}`)
    }
  })
  it('serves files as they are now', async () => {
    const file = join(folder, 'data/static/app.js')
    const response = await fetch(`${url}/static/app.js`)
    assert.match(response.headers.get('content-type') ?? '', /^(?:application|text)\/javascript/)
    assert.equal(await response.text(), readFileSync(file, 'utf8'))
    writeFileSync(file, 'export {}\n')
    assert.equal(await (await fetch(`${url}/static/app.js`)).text(), 'export {}\n')
    assert.equal((await fetch(`${url}/static/nonexistent.txt`)).status, 404)
  })
  it('has an empty list without a database', async () => {
    const response = await fetch(`${url}/async-db?min=10&max=50&limit=20`)
    assert.deepEqual(await response.json(), { items: [], count: 0 })
  })
})
