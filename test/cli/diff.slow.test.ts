import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

import { createProject } from '../support/octavo.ts'
import { APP, NEEDS_AGE } from './fixtures/users.ts'

const { write, read, run, git, remove } = createProject()
git('init', '--quiet')
after(remove)
beforeEach(() => write('app.js', APP))

describe('octavo diff', () => {
  it('does not take the deprecation of a version for a difference of the next one', async () => {
    write(
      'app.js',
      APP.replace(
        "defaultVersion: '1'",
        "versions: { 1: { deprecated: '2026-01-01', sunset: '2099-01-01' } }",
      ),
    )
    const { stdout, code } = await run('diff', '1', '2', '--fail-on', 'info')
    assert.deepEqual(
      { stdout, code },
      { stdout: 'version 1 → version 2: no difference that clients notice\n', code: 0 },
    )
  })

  it('compares versions, files and files of git', async () => {
    await run('snapshot')
    git('add', 'api')
    git('commit', '--quiet', '-m', 'Documents')
    assert.equal((await run('diff', '1', '2', '--fail-on', 'info')).code, 0)
    write('app.js', APP.replace(...NEEDS_AGE))
    await run('snapshot')
    const { stdout, code } = await run(
      'diff',
      'git:HEAD:api/1.json',
      'api/1.json',
      '--format',
      'json',
      '--fail-on',
      'breaking',
    )
    assert.equal(code, 1)
    const { result, findings } = JSON.parse(stdout) as { result: object; findings: readonly object[] }
    assert.deepEqual(result, { level: 'breaking' })
    assert.deepEqual(findings, [
      {
        rule: 'new-required-request-property',
        level: 'breaking',
        operation: 'POST /users',
        route: 'users.post',
        at: 'requestBody/application/json/age',
        message: 'a required property was added',
        base: { pointer: '/paths/~1users/post/requestBody/content/application~1json/schema' },
        revision: {
          pointer: '/paths/~1users/post/requestBody/content/application~1json/schema/properties/age',
        },
        places: [{ operation: 'POST /users', route: 'users.post', at: 'requestBody/application/json/age' }],
        fingerprint: 'new-required-request-property POST /users requestBody/application/json/age',
        fix: 'Make it optional, or write an `up` in your change.',
      },
    ])
  })

  it('follows references to other files, and says in one line what it cannot read', async () => {
    write(
      'a.yaml',
      'openapi: 3.0.3\ninfo: {title: a, version: "1"}\npaths: {/a: {get: {responses: {"200": {description: a, content: {application/json: {schema: {$ref: "b.yaml#/B"}}}}}}}}\n',
    )
    write('b.yaml', 'B: {type: string}\n')
    write('c.yaml', read('a.yaml').replace('b.yaml', 'd.yaml'))
    write('d.yaml', 'B: {type: integer}\n')
    const { stdout } = await run('diff', 'a.yaml', 'c.yaml')
    assert.match(
      stdout,
      /^breaking {2}GET \/a {2}responses\/200\/application\/json\n {10}it was string and is number/,
    )
    write(
      'e.yaml',
      'openapi: 3.1.0\npaths: {/a: {get: {responses: {"200": {description: a, content: {application/json: {schema: {$ref: "#/S"}}}}}}}}\nS: {allOf: [{$ref: "#/S"}]}\n',
    )
    const cases: readonly (readonly [string, RegExp])[] = [
      ['nowhere.yaml', /^octavo: nowhere\.yaml: file not found\n {2}check the path\n$/],
      ['package.json', /^octavo: package\.json: openapi is missing:.*\n$/],
      ['git:HEAD:nowhere.json', /^octavo: git:HEAD:nowhere\.json: git: .*\n$/],
      ['e.yaml', /^octavo: a\.yaml and e\.yaml: .*contains itself without anything between\n$/],
    ]
    for (const [given, expected] of cases) {
      const { stderr, code } = await run('diff', 'a.yaml', given)
      assert.match(stderr, expected)
      assert.equal(code, 2)
    }
    assert.match(
      (await run('diff', 'a.yaml', 'c.yaml', '--format', 'xml')).stderr,
      /unknown value xml of --format/,
    )
  })

  it('compares the lists of tools of a server that is not of Octavo', async () => {
    const weather = { description: 'The weather of a city', inputSchema: z.object({ city: z.string() }) }
    write('old.json', await listTools({ weather, forecast: weather, alerts: weather }))
    write(
      'new.json',
      await listTools({
        weather: { ...weather, description: 'Sends an alert' },
        forecast: { ...weather, inputSchema: z.object({ city: z.string(), days: z.int() }) },
        radar: weather,
      }),
    )
    const { stdout, code } = await run('diff', 'old.json', 'new.json', '--fail-on', 'breaking')
    assert.equal(
      stdout,
      `breaking  POST /alerts
          the tool alerts is gone (tool-removed)
          Keep the name of the tool, or make the change part of a new version.
info      POST /radar
          an operation was added (endpoint-added)
warning   POST /weather
          the description of the tool weather changed (tool-description-changed)
          Try the new text with your agents, or make the change part of a new version.
breaking  forecast.inputSchema  days
          a required property was added (new-required-request-property)
          in POST /forecast
          Make it optional, or write an \`up\` in your change.

old.json → new.json: 2 breaking, 1 warning, 1 info
`,
    )
    assert.equal(code, 1)
    const same = await run('diff', 'old.json', 'old.json', '--fail-on', 'info')
    assert.deepEqual(
      [same.code, same.stdout],
      [0, 'old.json → old.json: no difference that clients notice\n'],
    )
  })

  it('compares tools whose schemas are recursive or deep', async () => {
    const toList = (leaf: string, levels: number): string => {
      const deep = `${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"${leaf}"}${'}}'.repeat(levels)}`
      const own = `{"type":"object","properties":{"node":{"$ref":"#/$defs/A"},"deep":${deep}},"$defs":{
        "A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},
        "B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"self":{"$ref":"#"},"leaf":{"type":"${leaf}"}}}}}`
      return `{"tools":[{"name":"tree","inputSchema":${own}}]}`
    }
    for (const levels of [5, 1000]) {
      write('a.json', toList('string', levels))
      write('b.json', toList('integer', levels))
      const { stdout, stderr, code } = await run('diff', 'a.json', 'b.json', '--fail-on', 'breaking')
      assert.deepEqual([code, stderr], [1, ''])
      const places = [...stdout.matchAll(/^breaking {2}(\S+) {2}(\S+)$/gm)].map(([, schema, at]) => [
        schema,
        at,
      ])
      assert.deepEqual(places, [
        ['tree.inputSchema', `deep${'/a'.repeat(levels)}`],
        ['tree.inputSchema.B', 'leaf'],
      ])
    }
  })
})

/** The answer of a server of the official package to `tools/list`. */
async function listTools(
  tools: Readonly<Record<string, { readonly description: string; readonly inputSchema: z.ZodObject }>>,
): Promise<string> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'weather', version: '1' })
    for (const [name, tool] of Object.entries(tools))
      server.registerTool(name, tool, () => ({ content: [{ type: 'text', text: name }] }))
    return server
  })
  const client = new Client({ name: 'gate', version: '1' })
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return JSON.stringify(await client.listTools())
}
