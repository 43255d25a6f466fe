import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as setTimeoutLater } from 'node:timers/promises'

import { createApp, defineController, defineModule, notFound, sse } from 'octavo'
import { mcp } from 'octavo/mcp'
import { z } from 'zod'

const PACKAGES = join(import.meta.dirname, '../runtimes/packages/node_modules')
const SUITE = join(PACKAGES, '@modelcontextprotocol/conformance/dist/index.js')
const INSPECTOR = join(PACKAGES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')
/** Both need a newer Node than Octavo does. */
const NODE = join(PACKAGES, 'node22/bin/node')

const skip =
  (process.env['OCTAVO_PACKAGES'] === 'later' && 'another step runs it') ||
  ([SUITE, INSPECTOR, NODE].some((file) => !existsSync(file)) &&
    'the suite is not installed: npm ci --prefix test/runtimes/packages --ignore-scripts')

/** The scenarios that a server of tools passes. */
const PASSED: readonly string[] = [
  'dns-rebinding-protection',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
  'ping',
  'sep-2164-resource-not-found',
  'server-initialize',
  'server-sse-multiple-streams',
  'tools-call-error',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
]

/** The checks that such a server cannot pass, in scenarios whose others it passes. */
const PASSED_IN_PART: Readonly<Record<string, readonly string[]>> = {
  // prompts and resources have no lists here
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
  // a route asks its client for nothing, so it needs no capability of it
  'server-stateless': [
    'sep-2575-missing-capability-http-400',
    'sep-2575-server-rejects-undeclared-capability',
  ],
}

/** The scenarios that are not for such a server, by what it has not. */
const NOT_FOR_TOOLS: Readonly<Record<string, readonly string[]>> = {
  prompts: ['get-embedded-resource', 'get-simple', 'get-with-args', 'get-with-image', 'list'].map(
    (name) => `prompts-${name}`,
  ),
  resources: ['list', 'read-binary', 'read-text', 'subscribe', 'templates-read', 'unsubscribe'].map(
    (name) => `resources-${name}`,
  ),
  'completions, which are of prompts and resources': ['completion-complete'],
  // they would tie a client to one process
  'sessions, and so streams that are resumed': ['server-session-lifecycle', 'server-sse-polling'],
  'questions to the client': [
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'tools-call-elicitation',
    'tools-call-sampling',
    ...[
      'basic-elicitation',
      'basic-list-roots',
      'basic-sampling',
      'capability-check',
      'ignore-extra-params',
      'missing-input-response',
      'multi-round',
      'multiple-input-requests',
      'non-tool-request',
      'request-state',
      'result-type',
      'tampered-state',
    ].map((name) => `input-required-result-${name}`),
  ],
  'notifications of a log': ['logging-set-level', 'tools-call-with-logging'],
  'results that are not text': ['audio', 'embedded-resource', 'image', 'mixed-content'].map(
    (name) => `tools-call-${name}`,
  ),
  'the extension for skills': ['directory', 'enumeration', 'manifest'].map(
    (name) => `sep-2640-skills-${name}`,
  ),
  'the extension for tasks': [
    'capability-negotiation',
    'dispatch-and-envelope',
    'lifecycle',
    'mrtr-composition',
    'mrtr-input',
    'request-headers',
    'request-state-removal',
    'required-task-error',
    'status-notifications',
    'wire-fields',
  ].map((name) => `tasks-${name}`),
  // those of tools are made of the schemas of a route
  'schemas that are written by hand': ['json-schema-2020-12'],
  // x-mcp-header in an input schema: headers that repeat an argument
  'arguments that are headers as well': ['http-custom-header-server-validation'],
}

/** Tools by the names that the suite calls. */
const tested = defineController({
  prefix: '/test',
  tags: ['tested'],
  routes: [
    {
      method: 'GET',
      path: '/text',
      name: 'text',
      operationId: 'test_simple_text',
      handler: () => 'This is a simple text response for testing.',
    },
    {
      method: 'GET',
      path: '/error',
      name: 'error',
      operationId: 'test_error_handling',
      handler: () => {
        throw notFound('This tool intentionally returns an error for testing')
      },
    },
    {
      method: 'GET',
      path: '/progress',
      name: 'progress',
      operationId: 'test_tool_with_progress',
      events: { step: z.int() },
      handler: () =>
        sse(async function* () {
          for (const data of [0, 50, 100]) {
            await setTimeoutLater(10)
            yield { event: 'step', data }
          }
        }),
    },
    // the suite looks at what the stream of a call has besides its result
    { method: 'GET', path: '/log', name: 'log', operationId: 'test_logging_tool', handler: () => 1 },
    {
      method: 'GET',
      path: '/stream',
      name: 'stream',
      operationId: 'test_streaming_elicitation',
      handler: () => 1,
    },
    {
      method: 'POST',
      path: '/{id:int}',
      name: 'add',
      operationId: 'test_add',
      input: {
        query: z.object({ parts: z.array(z.string()).optional() }),
        body: z.object({ name: z.string() }),
      },
      response: z.object({ id: z.int(), name: z.string(), parts: z.array(z.string()) }),
      handler: ({ params, query, body }) => ({ id: params.id, name: body.name, parts: query.parts ?? [] }),
    },
  ],
})

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

describe('a server of tools', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-mcp-'))
  const app = createApp(
    defineModule({ controllers: [tested], routers: [mcp({ name: 'tested', tags: ['tested'] })] }),
    { logger: false, allowedHosts: ['localhost', '127.0.0.1'] },
  )
  let url = ''
  before(async () => {
    url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  })
  after(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  /** Runs a program to its end, however it ends: both say by their exit code what their output says better. */
  function run(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, HOME: folder, NO_COLOR: '1' }
    return new Promise((resolve) => {
      execFile(NODE, args, { env, timeout: 60_000 }, (_error, stdout) => resolve(stdout))
    })
  }

  /** Returns the scenarios that a revision requires, with the checks that failed and whether one passed. */
  async function requirementsOf(
    revision: string,
  ): Promise<ReadonlyMap<string, { readonly failed: readonly string[]; readonly passed: number }>> {
    const output = join(folder, revision)
    await run(SUITE, 'server', '--url', url, '--requirements', revision, '-o', output)
    return new Map(
      readdirSync(output).map((name) => {
        const checks = JSON.parse(readFileSync(join(output, name, 'checks.json'), 'utf8')) as Check[]
        const failed = checks.filter(({ status }) => status === 'FAILURE')
        const passed = checks.filter(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid')
        const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
        return [scenario, { failed: failed.map(({ id }) => id).toSorted(), passed: passed.length }] as const
      }),
    )
  }

  it('knows each scenario of the official suite', async () => {
    const [, listed = ''] = (await run(SUITE, 'list')).split(/^Server scenarios.*$/m)
    const [own = ''] = listed.split(/^Client scenarios/m)
    const scenarios = [...own.matchAll(/^ {2}- (\S+)/gm)].flatMap(([, name = '']) => name)
    const known = [...PASSED, ...Object.keys(PASSED_IN_PART), ...Object.values(NOT_FOR_TOOLS).flat()]
    assert.deepEqual(scenarios.toSorted(), known.toSorted())
  })

  for (const revision of ['2025-11-25', '2026-07-28'])
    it(`passes the official suite of revision ${revision}`, async () => {
      const found = await requirementsOf(revision)
      const others = new Set(Object.values(NOT_FOR_TOOLS).flat())
      const own = [...found].filter(([name]) => !others.has(name))
      assert.ok(own.filter(([, { passed }]) => passed > 0).length >= 7, [...found.keys()].join(' '))
      assert.deepEqual(
        own.map(([name, { failed }]) => [name, failed]),
        own.map(([name]) => [name, PASSED_IN_PART[name] ?? []]),
      )
      const byNow = [...found].filter(
        ([name, { failed, passed }]) => others.has(name) && failed.length === 0 && passed > 0,
      )
      assert.deepEqual(byNow, [], 'these pass by now: take them out of NOT_FOR_TOOLS')
    })

  for (const era of ['legacy', 'modern'])
    it(`is understood by the inspector as a ${era} server`, async () => {
      const target = ['--cli', '--server-url', url, '--transport', 'http', '--protocol-era', era]
      const inspect = async (...args: readonly string[]): Promise<unknown> =>
        JSON.parse(await run(INSPECTOR, ...target, '--format', 'json', ...args))
      // strict: with its advice on what models of other vendors do not take
      const listed = Object(await inspect('--method', 'tools/list', '--strict'))
      assert.equal(listed.result.tools.length, 6)
      const values = JSON.stringify({ id: 7, parts: ['a', 'b'], body: { name: 'Ford' } })
      const called = Object(
        await inspect('--method', 'tools/call', '--tool-name', 'test_add', '--tool-args-json', values),
      )
      assert.deepEqual(called.result.structuredContent, { id: 7, name: 'Ford', parts: ['a', 'b'] })
      const refused = Object(await inspect('--method', 'tools/call', '--tool-name', 'test_error_handling'))
      assert.equal(refused.result.isError, true)
    })
})
