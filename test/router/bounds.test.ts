import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { ask, serve } from './support.ts'
import {
  EMPTY_NODE,
  compileTrie,
  createTree,
  find,
  findLeaves,
  parsePattern,
  wholePath,
} from '../inside/parts.ts'
import type { Endpoints, Node } from '../inside/parts.ts'

describe('many literals that begin with the same character', () => {
  const names = Array.from({ length: 300 }, (_, index) => `resource-${index}`)
  const app = serve([...names.map((name) => `GET /${name}/list`), 'POST /{name}/list', 'GET /resource-7'])

  it('are all found', async () => {
    for (const name of names)
      assert.deepEqual(await ask(app, `GET /${name}/list`), { route: `GET /${name}/list` })
  })

  for (const [request, expected] of [
    ['GET /resource-7', { route: 'GET /resource-7' }],
    ['GET /resource-300/list', [405, 'POST, OPTIONS']],
    [`GET /resource-7${'7'.repeat(100)}/list`, [405, 'POST, OPTIONS']],
    ['POST /resource-7/list', { route: 'POST /{name}/list', name: 'resource-7' }],
    ['GET //list', 404],
    ['GET /', 404],
  ] as const) {
    it(`leave ${request.slice(0, 40)} to others`, async () =>
      assert.deepEqual(await ask(app, request), expected))
  }
})

describe('the work of a lookup', () => {
  const patterns = Array.from({ length: 2 ** 8 }, (_, bits) =>
    Array.from({ length: 8 }, (__, at) => ((bits >> at) & 1 ? '/a' : `/{p${at}}`)).join(''),
  )

  it('is one visit of each node where everything fits and nothing answers', () => {
    const root = sealed(patterns.map((path) => `${path}/end`))
    let visits = 0
    const counted = countEdges(root, () => visits++)
    assert.equal(find(counted, wholePath('/a'.repeat(9), true), 0).leaf, null)
    // a binary tree of eight levels
    assert.ok(visits <= 2 ** 9, `${visits} visits`)
  })

  it('does not grow with the path below the routes', () => {
    const root = sealed(['/{x}', '/{x}/{y}', '/a/{x}/b'])
    const visitsOf = (path: string): number => {
      let visits = 0
      const counted = countEdges(root, () => visits++)
      assert.equal(find(counted, wholePath(path, true), 0).leaf, null)
      assert.deepEqual(findLeaves(counted, path, 1, path.length), [])
      return visits
    }
    assert.equal(visitsOf('/a'.repeat(50_000)), visitsOf('/a'.repeat(5)))
  })
})

function sealed(paths: readonly string[]): Node<string> {
  const rows = paths.map((path) => {
    const pattern = parsePattern(path)
    if (!('segments' in pattern)) throw new Error(path)
    return { pattern }
  })
  const tree = createTree(rows, false)
  const select = ({ pattern }: { readonly pattern: { readonly text: string } }) => ({
    rest: {
      methods: [pattern.text],
      shape: { pattern: pattern.text, varies: false, versions: [], defaultVersion: null },
    } satisfies Endpoints<string>,
    at: undefined,
  })
  return compileTrie(tree, select).rest ?? EMPTY_NODE
}

/** The same trie, where every look at the edges of a node is counted. */
function countEdges<T>(node: Node<T>, count: () => void): Node<T> {
  const edge = copyChain(node.edge, (each) => ({ ...each, node: countEdges(each.node, count) }))
  const toChild = (child: Node<T>): Node<T> => countEdges(child, count)
  const table = node.table?.map((child) => copyChain(child, toChild)) ?? null
  return Object.defineProperty({ ...node, first: copyChain(node.first, toChild), table }, 'edge', {
    get: () => {
      count()
      return edge
    },
  })
}

function copyChain<E extends { readonly next: E | null }>(first: E | null, copy: (each: E) => E): E | null {
  if (first === null) return null
  return Object.defineProperty(copy(first), 'next', { value: copyChain(first.next, copy) })
}
