import assert from 'node:assert/strict'
import { it } from 'node:test'

import { defineController } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

it('a document shows no null in fields of forms, because no text means it', async () => {
  const Draft = z.object({ kind: z.enum(['a', 'b']).nullable(), size: z.number() }).meta({ id: 'Draft' })
  const app = serve(
    defineController({
      prefix: '/draft',
      routes: [
        { method: 'POST', path: '/form', input: { form: Draft }, handler: () => 1 },
        { method: 'POST', path: '/body', input: { body: Draft }, handler: () => 1 },
      ],
    }),
    { docs: {} },
  )
  await app.ready()
  const { paths, components } = app.openapi()
  const form = JSON.stringify(paths['/draft/form'])
  assert.match(form, /"kind":\{"type":"string","enum":\["a","b"\]\}/)
  assert.doesNotMatch(form, /"null"/)
  assert.match(JSON.stringify(components?.schemas?.['Draft']), /"null"/)
  const sent = await app.inject({
    method: 'POST',
    url: '/draft/form',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'kind=null&size=1',
  })
  assert.equal(sent.statusCode, 422)
})
