import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { PublicTypes } from '../support/public-types.ts'

/**
 * Types and files of types that no entry point exports though exported types refer to them. They compute one type from another: the
 * type checker writes their results into declarations, and never their names.
 */
const COMPUTED: Readonly<Record<string, readonly string[] | 'all'>> = {
  // the parts of a route object, each told from the union that is inferred of it
  'src/define/infer.ts': 'all',
  'src/define/identity.ts': 'all',
  'src/define/interceptor.ts': ['Wrapping'],
  'src/define/route.ts': ['HandlerField', 'InferredFields'],
  // the names and paths of routes as texts
  'src/define/names.ts': 'all',
  'src/define/meant-path.ts': 'all',
  // the calls of a client and their answers
  'src/client/client-type.ts': 'all',
  'src/client/answer.ts': 'all',
  // the identity that a guard leaves, from the type of its function
  'src/extensions/auth/any-of.ts': ['IdentityOfAny'],
  'src/extensions/auth/create-guard.ts': ['Allowed', 'Decision', 'Falsy'],
  // what models were, from what changes say of them
  'src/changes/was.ts': 'all',
  'src/changes/state.ts': 'all',
  'src/changes/change.ts': ['FactsIn', 'Part'],
  'src/changes/operations/operation.ts': [
    'Answers',
    'AnswersWere',
    'NeedsUp',
    'Names',
    'OldValue',
    'RouteFact',
    'StatusIn',
    'StatusPairs',
    'Statuses',
  ],
  'src/changes/model.ts': ['ModelName', 'ModelShape', 'WholeShape'],
  'src/changes/versions.ts': ['Allowed'],
  // the dispatcher of the platform's own fetch, which has no name everywhere
  'src/extensions/undici/dispatcher.ts': ['OfPlatform'],
}

const types = new PublicTypes()

describe('exported types', () => {
  it('refer to exported types alone', () => {
    const used = new Set<string>()
    const unexported = types.unexported((name, file) => {
      const names = COMPUTED[file]
      if (names === undefined || (names !== 'all' && !names.includes(name))) return false
      used.add(names === 'all' ? file : `${file} ${name}`)
      return true
    })
    assert.deepEqual(unexported, [])
    const listed = Object.entries(COMPUTED).flatMap(([file, names]) =>
      names === 'all' ? [file] : names.map((name) => `${file} ${name}`),
    )
    assert.deepEqual([...used].toSorted(), listed.toSorted(), 'an exception is not needed')
  })

  it('mean the same in every entry point', () => {
    assert.deepEqual(types.collisions(), new Map())
  })

  it('have docstrings, and so have their members', () => {
    const all = types.documented()
    // the walk has found more than a handful
    assert.ok(all.length > 1000, String(all.length))
    assert.deepEqual(
      all
        .filter(({ isDocumented }) => !isDocumented)
        .map(({ name, file, line }) => `${file}:${line} ${name}`),
      [],
    )
  })
})
