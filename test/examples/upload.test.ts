import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs, { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { createGalleryApp } from '../../examples/upload/app.ts'
import { createFolder, fieldPart, filePart, MULTIPART, toBytes } from '../app/uploads-support.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const folder = createFolder()
after(folder.remove)
const app = createGalleryApp(folder.path, { logger: false })
after(() => app.close())

describe('the example of uploads', () => {
  it('takes photos with their album', async () => {
    const photos = [new File([PNG], 'one.png'), new File([PNG], 'two.png', { type: 'image/png' })]
    const response = await app.inject({
      method: 'POST',
      url: '/gallery/photos',
      multipart: { album: 'Alps', public: 'yes', photos },
    })
    assert.equal(response.statusCode, 201)
    assert.deepEqual(response.json(), {
      album: 'Alps',
      public: true,
      cover: null,
      photos: ['one.png', 'two.png'].map((name) => ({ name, type: 'image/png', size: 8 })),
    })
  })

  it('takes no text for a photo', async () => {
    const photos = new File(['text'], 'one.png', { type: 'image/png' })
    const response = await app.inject({
      method: 'POST',
      url: '/gallery/photos',
      multipart: { album: 'Alps', photos },
    })
    assert.equal(response.statusCode, 422)
  })

  it('stores videos while they arrive', async () => {
    const content = 'v'.repeat(300_000)
    const response = await app.inject({
      method: 'POST',
      url: '/gallery/videos',
      multipart: { title: 'Descent', video: new File([content], 'descent.mp4') },
    })
    const sha256 = createHash('sha256').update(content).digest('hex')
    assert.deepEqual(response.json(), { title: 'Descent', name: 'descent.mp4', size: 300_000, sha256 })
    const [stored = ''] = readdirSync(folder.path)
    assert.equal(readFileSync(join(folder.path, stored), 'utf8'), content)
  })

  it('stores nothing of a video that is cut off, also before the system has opened its file', async (test) => {
    const open = fs.open
    test.mock.method(fs, 'open', (...args: Parameters<typeof open>) => {
      setTimeout(() => open(...args), 50)
    })
    const before = folder.list()
    const body = toBytes([fieldPart('title', 'Descent'), filePart('video', 'd.mp4', 'v'.repeat(9000))], '')
    const response = await app.inject({ method: 'POST', url: '/gallery/videos', headers: MULTIPART, body })
    assert.equal(response.statusCode, 400)
    await delay(200)
    assert.deepEqual(folder.list(), before)
  })
})
