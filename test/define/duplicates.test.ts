import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { DefinitionWarning, Logger } from 'octavo'
import { assertProblems, placeless, withoutPlaces } from '../support/places.ts'
import { controller } from '../support/untyped.ts'

const routes = (...list: readonly object[]) =>
  defineModule({
    controllers: [
      controller({
        prefix: '/',
        routes: list.map((route) => ({ method: 'GET', handler: () => null, ...route })),
      }),
    ],
  })

describe('routes that answer the same requests', () => {
  const fix = 'change the path, the method or the version of one of them'
  const cases = [
    [
      'by literal path',
      {},
      [
        { path: '/a', name: 'x' },
        { path: '/a', name: 'y' },
      ],
      { where: 'y: GET /a', message: 'x: GET /a answers GET on the same path too', fix },
    ],
    [
      'by the shape of the path',
      {},
      [
        { path: '/{a}', name: 'x' },
        { path: '/{b:str}', name: 'y' },
      ],
      { where: 'y: GET /{b:str}' },
    ],
    [
      'by one of several methods',
      {},
      [
        { name: 'x', method: ['GET', 'PUT'] },
        { name: 'y', method: ['POST', 'PUT'] },
      ],
      { where: 'y: POST,PUT /' },
    ],
    [
      'by name and path',
      {},
      [
        { path: '/a', name: 'x' },
        { path: '/a', name: 'x' },
      ],
      { where: 'x: GET /a' },
    ],
    [
      'but for a slash at the end, when that is ignored',
      {},
      [
        { path: '/a', name: 'x' },
        { path: '/a/', name: 'y' },
      ],
      { where: 'y: GET /a/' },
    ],
    [
      'but for a slash at the end, when that is redirected',
      { trailingSlash: 'redirect' },
      [
        { path: '/a', name: 'x' },
        { path: '/a/', name: 'y' },
      ],
      { where: 'y: GET /a/' },
    ],
    [
      'but for versions that nothing reads',
      {},
      [
        { path: '/a', name: 'x', version: '1' },
        { path: '/a', name: 'y', version: '2' },
      ],
      {
        where: 'y: GET /a',
        fix: 'call app.enableVersioning: their versions do not count before',
      },
    ],
    [
      'in one of several versions',
      { versioning: { scheme: VersioningSchemes.URL } },
      [
        { path: '/a', name: 'x', version: ['1', '2'] },
        { path: '/a', name: 'y', version: ['2', '3'] },
      ],
      { where: 'y: GET /a' },
    ],
  ] as const
  for (const [title, options, list, expected] of cases) {
    it(`are refused: the same ${title}`, async () => {
      const app = createApp(routes(...list), { ...options, logger: false })
      await assert.rejects(app.ready(), (error) => {
        assert.ok(error instanceof DefinitionError)
        assertProblems(error.errors, [{ code: 'duplicate_route', ...expected }])
        return true
      })
    })
  }

  it('name the line of a controller once if both routes are written in it', async () => {
    const app = createApp(routes({ path: '/a', name: 'x' }, { path: '/a', name: 'y' }), { logger: false })
    await assert.rejects(app.ready(), (error) => {
      assert.ok(error instanceof DefinitionError)
      const [{ where, message } = { where: '', message: '' }] = error.errors
      assert.match(where, /^y: GET \/a \(.*duplicates\.test\.ts:\d+\)$/)
      assert.doesNotMatch(message, /:\d+/)
      return true
    })
  })

  const legal = [
    ['another method', {}, [{ name: 'x' }, { name: 'y', method: 'PUT' }]],
    [
      'another type of parameter',
      {},
      [
        { path: '/{a:int}', name: 'x' },
        { path: '/{a}', name: 'y' },
      ],
    ],
    [
      'another slash at the end under strict',
      { trailingSlash: 'strict' },
      [
        { path: '/a', name: 'x' },
        { path: '/a/', name: 'y' },
      ],
    ],
    [
      'another version',
      { versioning: { scheme: VersioningSchemes.URL } },
      [
        { name: 'x', version: '1' },
        { name: 'x', version: '2' },
      ],
    ],
  ] as const
  for (const [title, options, list] of legal) {
    it(`are legal with ${title}`, async () => {
      const app = createApp(routes(...list), { ...options, logger: false })
      await app.ready()
      assert.deepEqual(app.routes().length, 2)
    })
  }
})

describe('a route beside one for the default version', () => {
  it('is a warning', async () => {
    const warnings: DefinitionWarning[] = []
    const nothing = (): void => undefined
    const logger: Logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (details) => void warnings.push(details as DefinitionWarning),
    }
    const app = createApp(routes({ name: 'x', version: '1' }, { name: 'x', version: '2' }, { name: 'y' }), {
      logger,
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'accept', defaultVersion: '1' },
    })
    await app.ready()
    assert.match(warnings[0]?.where ?? '', /^y: GET \/ \(.*duplicates\.test\.ts:\d+\)$/)
    assert.deepEqual(placeless(warnings), [
      {
        code: 'default_twice',
        where: 'y: GET /',
        message: 'x: GET / answers version 1, which is the default: this route without version never answers',
        fix: 'remove it, or give it a version',
      },
    ])
  })
})

describe('a DefinitionError', () => {
  it('holds every entry in its message', () => {
    const broken = routes({ path: '/:id' }, { name: 'a b' })
    assert.throws(
      () => createApp(broken, { logger: false }),
      (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          { name: error.name, message: withoutPlaces(error.message) },
          {
            name: 'DefinitionError',
            message: [
              '2 mistakes in the definitions',
              '  GET /:id: ":id" is not how a pattern is written here. Write "{id}" [foreign_pattern]',
              '  a b: GET /: "a b" is not a name. Use letters, digits, - and _, and begin with a letter [invalid_name]',
            ].join('\n'),
          },
        )
        return true
      },
    )
  })

  it('says so when there is one', () => {
    assert.throws(
      () => createApp(routes({ path: '/:id' }), { logger: false }),
      (error) => {
        assert.equal(
          withoutPlaces(String(Object(error).message)),
          'A mistake in the definitions\n  GET /:id: ":id" is not how a pattern is written here. Write "{id}" [foreign_pattern]',
        )
        return true
      },
    )
  })
})
