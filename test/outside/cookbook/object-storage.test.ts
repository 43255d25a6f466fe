import assert from 'node:assert/strict'
import { createServer, request as createRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { after, describe, it } from 'node:test'

import { startServer } from './support.ts'

const MIB = 1024 * 1024

/** A storage of a few lines: objects by path, uploads in parts, and a record of its calls. */
function createStorage() {
  const objects = new Map<string, Buffer>()
  const parts = new Map<string, Buffer[]>()
  const calls: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://storage')
    const upload = searchParams.get('uploadId')
    calls.push(
      `${request.method} ${[...searchParams.keys()]
        .filter((key) => key !== 'x-id')
        .toSorted()
        .join()}`,
    )
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const xml = (text: string): void => void response.setHeader('content-type', 'application/xml').end(text)
      if (request.method === 'POST' && searchParams.has('uploads')) {
        parts.set('one', [])
        return xml('<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>')
      }
      if (request.method === 'PUT' && upload !== null) {
        const uploaded = parts.get(upload)
        // Parts are sent side by side, so the second may be complete before the first.
        if (uploaded !== undefined) uploaded[Number(searchParams.get('partNumber')) - 1] = body
        return void response.setHeader('etag', `"${searchParams.get('partNumber')}"`).end()
      }
      if (request.method === 'POST' && upload !== null) {
        objects.set(pathname, Buffer.concat(parts.get(upload) ?? []))
        return xml('<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>')
      }
      if (request.method === 'DELETE') return void response.writeHead(204).end()
      if (request.method === 'PUT') {
        objects.set(pathname, body)
        return void response.setHeader('etag', '"1"').end()
      }
      const object = objects.get(pathname)
      if (object !== undefined) return void response.setHeader('content-type', 'video/mp4').end(object)
      response.statusCode = 404
      xml('<Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>')
    })
  })
  return { server, objects, calls }
}

describe('the recipe of object storage', async () => {
  const { server, objects, calls } = createStorage()
  Object.assign(process.env, {
    S3_ENDPOINT: await startServer(server),
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const { app, url } = await import('./.recipes/object-storage.ts')
  after(() => app.close())

  function upload(bytes: Uint8Array<ArrayBuffer>, type = 'video/mp4'): Promise<Response> {
    const body = new FormData()
    body.append('title', 'Descent')
    body.append('video', new File([bytes], 'descent.mp4', { type }))
    return fetch(`${url}/videos`, { method: 'POST', body })
  }

  it('uploads a small file, and downloads it', async () => {
    const response = await upload(new TextEncoder().encode('frames'))
    const { id, ...rest } = Object(await response.json())
    assert.deepEqual([response.status, rest], [201, { title: 'Descent', size: 6 }])
    assert.deepEqual([...objects.keys()], [`/videos/videos/${id}`])
    const download = await fetch(`${url}/videos/${id}`)
    assert.equal(download.headers.get('content-disposition'), 'attachment')
    assert.equal(await download.text(), 'frames')
  })

  it('uploads a large file in parts', async () => {
    calls.length = 0
    const bytes = new Uint8Array(20 * MIB).map((_, at) => at >> 12)
    const response = await upload(bytes)
    const { id, size } = Object(await response.json())
    assert.equal(size, bytes.length)
    assert.ok(objects.get(`/videos/videos/${id}`)?.equals(bytes))
    assert.equal(calls.filter((call) => call === 'PUT partNumber,uploadId').length, 3)
  })

  it('refuses other files, and knows no others', async () => {
    assert.equal((await upload(new Uint8Array(1), 'text/html')).status, 415)
    assert.equal((await fetch(`${url}/videos/00000000-0000-4000-8000-000000000000`)).status, 404)
  })

  it('sends parts while the file arrives, and removes them if the client leaves', async () => {
    calls.length = 0
    const boundary = 'x'
    const client = createRequest(`${url}/videos`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': 50 * MIB },
    })
    client.on('error', () => undefined)
    client.write(
      `--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nDescent\r\n--x\r\n` +
        `content-disposition: form-data; name="video"; filename="a.mp4"\r\ncontent-type: video/mp4\r\n\r\n`,
    )
    client.write(new Uint8Array(18 * MIB))
    while (!calls.includes('PUT partNumber,uploadId')) await delay(5)
    client.destroy()
    while (!calls.includes('DELETE uploadId')) await delay(5)
    assert.ok(!calls.includes('POST uploadId'))
  })
})
