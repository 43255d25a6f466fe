import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'

import { serve } from './support.ts'

describe('printRoutes', () => {
  it('draws the routes as a tree, most specific first', () => {
    const app = serve([
      'GET /',
      'GET /{rest:path}',
      'GET /car/{id}/parts',
      'POST /car',
      'GET /car',
      'GET /car/{id:int}',
      'GET /car/{name}.json',
      'GET /car/{from}-{to}.json',
      'GET /car/welcome',
    ])
    assert.equal(
      app.printRoutes(),
      [
        '/',
        '  GET c.r0',
        '├── car',
        '│     POST c.r3',
        '│     GET c.r4',
        '│   ├── welcome',
        '│   │     GET c.r8',
        '│   ├── {from:str}-{to:str}.json',
        '│   │     GET c.r7',
        '│   ├── {name:str}.json',
        '│   │     GET c.r6',
        '│   ├── {id:int}',
        '│   │     GET c.r5',
        '│   └── {id:str}',
        '│       └── parts',
        '│             GET c.r2',
        '└── {rest:path}',
        '      GET c.r1',
      ].join('\n'),
    )
  })

  it('shows versions, several methods and slashes that count', () => {
    const cars = defineController({
      name: 'car',
      routes: [
        { method: ['GET', 'POST'], path: '/', name: 'all', version: ['1', '2'], handler: () => null },
        { method: 'GET', path: '/new', name: 'new', handler: () => null },
        { method: 'GET', path: '/new/', name: 'slashed', handler: () => null },
      ],
    })
    const app = createApp(defineModule({ controllers: [cars] }), { trailingSlash: 'strict', logger: false })
    assert.equal(
      app.printRoutes(),
      [
        '/',
        '└── car',
        '    ├── (trailing slash)',
        '    │     GET,POST [1, 2] car.all',
        '    └── new',
        '          GET car.new',
        '        └── (trailing slash)',
        '              GET car.slashed',
      ].join('\n'),
    )
  })
})
