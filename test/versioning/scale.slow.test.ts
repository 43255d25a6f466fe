import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, defineModule, VersioningSchemes } from 'octavo'
import type { InjectOptions, VersionSpec } from 'octavo'

import { ask, ok, serve } from './support.ts'
import type { Row } from './support.ts'
import { edgesIn, literalsOf } from '../inside/parts.ts'
import { Application } from '../inside/server.ts'
import type { Node } from '../inside/parts.ts'
import type { Table } from '../inside/server.ts'

const { HEADER, HOST, QUERY, URL: Url } = VersioningSchemes

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

describe('1,000 versions of one path', () => {
  const versions = numbers(1000)
  const rows = versions.map((version): Row => ['GET', '/cars/{id:int}', version, `car-${version}`])
  const custom = { headerParameter: 'x-version' }
  const cases: readonly (readonly [name: string, app: ReturnType<typeof serve>, ask: Asker])[] = [
    ['URL', serve(rows, Url), (version) => `/v${version}/cars/7`],
    ['HEADER, Accept', serve(rows, HEADER), (version) => withHeader('accept', `a/b; version=${version}`)],
    ['HEADER, x-version', serve(rows, HEADER, custom), (version) => withHeader('x-version', version)],
    ['QUERY', serve(rows, QUERY), (version) => `/cars/7?version=${version}`],
    ['HOST', serve(rows, HOST), (version) => withHeader('host', `v${version}.example.com`)],
  ]
  for (const [name, app, toRequest] of cases) {
    it(`answer each for itself: ${name}`, async () => {
      for (const version of versions.filter((_, index) => index % 9 === 0)) {
        const { status, body } = await ask(app, toRequest(version))
        assert.deepEqual({ status, body }, ok(`car-${version}@${version}`))
      }
      assert.equal((await ask(app, toRequest('1001'))).status, name.startsWith('HEADER') ? 406 : 404)
    })
  }
})

type Asker = (version: string) => string | InjectOptions

function withHeader(name: string, value: string): InjectOptions {
  return { url: '/cars/7', headers: { [name]: value } }
}

describe('versions that answer alike share what they are compiled to', () => {
  const VERSIONS = numbers(100)
  const ROUTES = 1000
  /** The root, 50 areas, 20 resources in each, and what is behind their parameters. */
  const NODES = 1 + 50 + ROUTES + ROUTES
  /** With a route of its own, a version has another root, area, resource and parameter, and other links to a few siblings of those. */
  const OWN = 16

  const path = (index: number): `/${string}` => `/${index % 50}-area/${Math.floor(index / 50)}-thing/{id}`
  const route = (index: number, version: VersionSpec): Listed => ({ path: path(index), version })
  const alike = Array.from({ length: ROUTES }, (_, index) => route(index, VERSIONS))
  /** In each version another route has a handler of its own. */
  const differing = Array.from({ length: ROUTES }, (_, index) => {
    const own = VERSIONS[index]
    return own === undefined
      ? [route(index, VERSIONS)]
      : [
          route(
            index,
            VERSIONS.filter((version) => version !== own),
          ),
          route(index, own),
        ]
  }).flat()

  it('one root for versions of the same routes', () => {
    const { roots } = compile(alike, HEADER)
    assert.equal(roots.size, 100)
    assert.equal(new Set(roots.values()).size, 1)
    assert.equal(countNodes(roots.values()), NODES)
  })

  it('one root for versions of the same routes in the path', () => {
    const {
      pathRoot: entry,
      prefixZones: [{ inPath }],
    } = compile(alike, Url)
    assert.equal(new Set(inPath.values()).size, 1)
    // the entry, and the literal of each version
    assert.equal(countNodes([entry, ...inPath.values()]), NODES + 1 + 100)
  })

  it('only what differs is there again', () => {
    const { roots } = compile(differing, HEADER)
    assert.equal(new Set(roots.values()).size, 100)
    const own = countNodes(roots.values()) - NODES
    assert.ok(own >= 100 * 4 && own <= 100 * OWN, `${own} nodes for 100 routes that differ`)
  })

  it('only what differs is there again in the path', () => {
    const {
      pathRoot: entry,
      prefixZones: [{ inPath }],
    } = compile(differing, Url)
    const { roots } = compile(differing, HEADER)
    assert.equal(countNodes([entry, ...inPath.values()]), countNodes(roots.values()) + 1 + 100)
  })

  it('by value, in the path and by default', () => {
    const core = new Application(toModule(differing), { logger: false })
    core.enableVersioning([[Url], [HEADER]], { defaultVersion: () => '1' })
    const { roots, prefixZones: zones, defaults, unknownVersion: other, all: union } = core.compiled().table
    const [{ inPath }] = zones
    assert.deepEqual([roots.size, inPath.size, defaults.size], [100, 100, 100])
    for (const [version, root] of roots) {
      assert.equal(inPath.get(version), root)
      assert.equal(defaults.get(version), root)
    }
    assert.equal(countNodes([other]), 1)
    assert.equal(countNodes([union]), NODES)
  })

  it('what stands beside routes that were never versioned', () => {
    const core = new Application(toModule([...alike, { path: '/health' }]), { logger: false })
    core.enableVersioning([[Url], [HEADER]], { defaultVersion: () => '1' })
    const {
      roots,
      prefixZones: zones,
      defaults,
      unknownVersion: other,
      withoutVersion: bare,
    } = core.compiled().table
    const [{ inPath }] = zones
    assert.equal(new Set([...roots.values(), ...defaults.values()]).size, 1)
    assert.equal(new Set(inPath.values()).size, 1)
    // without a version, only what was never versioned answers
    assert.equal(other, bare)
    assert.equal(countNodes([other]), 2)
    // the roots behind a segment lack that route, and share all else
    const shared = countNodes(roots.values())
    assert.equal(shared, NODES + 1)
    assert.ok(countNodes([...roots.values(), ...inPath.values()]) <= shared + OWN)
  })
})

interface Listed {
  readonly path: `/${string}`
  readonly version?: VersionSpec
}

function toModule(listed: readonly Listed[]): object {
  const routes = listed.map((each, index) => ({
    ...each,
    method: 'GET' as const,
    name: `r${index}`,
    handler: () => index,
  }))
  return defineModule({ controllers: [defineController({ name: 'api', prefix: '', routes })] })
}

function compile(listed: readonly Listed[], scheme: object): Table {
  const core = new Application(toModule(listed), { logger: false })
  core.enableVersioning(scheme)
  return core.compiled().table
}

/** The different nodes that are reachable. */
function countNodes(roots: Iterable<Node<unknown>>): number {
  const seen = new Set<Node<unknown>>()
  const visit = (node: Node<unknown>): void => {
    if (seen.has(node)) return
    seen.add(node)
    for (const literal of literalsOf(node)) visit(literal)
    for (const edge of edgesIn(node)) visit(edge.node)
    if (node.mount !== null) visit(node.mount)
  }
  for (const root of roots) visit(root)
  return seen.size
}
