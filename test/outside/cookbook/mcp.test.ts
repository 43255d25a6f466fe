import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { app, url } from './.recipes/mcp.ts'

const TOKEN = 'secret'
process.env['API_TOKEN'] = TOKEN

/** A client of the SDK with a token. */
async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return client
}

describe('the recipe for MCP', () => {
  let client: Client
  before(async () => {
    client = await connect(TOKEN)
  })
  after(async () => {
    await client.close()
    await app.close()
  })

  it('has a tool for each operation of the version that has the tag', async () => {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name, description, annotations }) => [name, description, annotations?.readOnlyHint]),
      [
        ['car_find', 'Find a car by its id', true],
        ['car_add', 'Add a car', false],
      ],
    )
    const [find, add] = tools.map(({ inputSchema }) => inputSchema)
    assert.deepEqual(find?.required, ['id'])
    assert.deepEqual(Object.keys(find?.properties ?? {}), ['id'])
    assert.deepEqual(add?.required, ['body'])
  })

  it('calls the operations', async () => {
    const added = await client.callTool({ name: 'car_add', arguments: { body: { name: 'Fiat' } } })
    assert.deepEqual(added.content, [{ type: 'text', text: '{"id":2,"name":"Fiat"}' }])
    const found = await client.callTool({ name: 'car_find', arguments: { id: 2 } })
    assert.deepEqual([found.content, found.isError], [added.content, false])
  })

  it('gives problems of the operations as errors', async () => {
    const { content, isError } = await client.callTool({ name: 'car_find', arguments: { id: 9 } })
    assert.equal(isError, true)
    assert.equal(JSON.parse(Object(content)[0].text).detail, 'There is no car 9')
  })

  it('refuses arguments that the schema refuses', async () => {
    const { isError } = await client.callTool({ name: 'car_add', arguments: { body: { name: '' } } })
    assert.equal(isError, true)
  })

  it('answers the command of the page', async () => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    const text = await response.text()
    assert.deepEqual(
      [response.status, [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)],
      [200, ['car_find', 'car_add']],
    )
  })

  it('refuses clients without a token', async () => {
    await assert.rejects(connect('stolen'))
    const response = await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })
    assert.equal(response.status, 401)
  })
})
