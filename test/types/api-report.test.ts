import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import ts from 'typescript-5.9'

import {
  compareFingerprints,
  describeChange,
  findUnannounced,
  readReleased,
  toFingerprints,
} from '../../scripts/api/announced.ts'
import type { Change } from '../../scripts/api/announced.ts'
import { readEntryPoints, withDeclarations } from '../../scripts/api/declarations.ts'
import { readReports, toReport, toReportName } from '../../scripts/api/report.ts'
import { openDeclarations, readSurface } from '../../scripts/api/surface.ts'
import type { Surface } from '../../scripts/api/surface.ts'
import { PublicTypes } from '../support/public-types.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Declarations of a report that another does not have. */
function differenceOf(report: string, other: string): readonly string[] {
  const others = new Set(other.trimEnd().split('\n\n'))
  return report
    .trimEnd()
    .split('\n\n')
    .filter((declaration) => !others.has(declaration))
    .flatMap((declaration) => declaration.split('\n'))
}

/** Types that got more type parameters with TypeScript 5.6. */
const SINGLE: ReadonlySet<string> = new Set([
  'AsyncIterable',
  'AsyncIterableIterator',
  'Iterable',
  'IterableIterator',
])

/** The name of a generic type and its arguments, as they are written. */
function namesOf(node: ts.Node): readonly string[] {
  const isExtended = ts.isExpressionWithTypeArguments(node)
  if (!isExtended && !ts.isTypeReferenceNode(node)) return []
  const name = isExtended ? node.expression : node.typeName
  return [name, ...(node.typeArguments ?? [])].map((each) => each.getText())
}

/**
 * Types and files of types that no entry point exports though exported types refer to them. They compute one type from another: the
 * type checker writes their results into declarations, and never their names.
 */
const COMPUTED: Readonly<Record<string, readonly string[] | 'all'>> = {
  // the parts of a route object, each told from the union that is inferred of it
  'src/define/infer.ts': 'all',
  'src/define/context.ts': ['IdentityIn'],
  'src/define/route.ts': ['HandlerField', 'InferredFields'],
  // the path that was meant, for messages
  'src/define/meant-path.ts': 'all',
  // the names and paths of routes as texts
  'src/define/names.ts': 'all',
  // the calls of a client and their answers
  'src/client/client-type.ts': 'all',
  'src/client/answer.ts': 'all',
  // the identity that a guard leaves, from the type of its function
  'src/extensions/auth/any-of.ts': ['IdentityOfAny'],
  'src/extensions/auth/create-guard.ts': ['AllowedIdentity', 'Decision', 'Falsy'],
  // what models were, from what changes say of them
  'src/changes/was.ts': 'all',
  'src/changes/reshape-fields.ts': 'all',
  'src/changes/before.ts': 'all',
  'src/changes/state.ts': 'all',
  'src/changes/change.ts': ['FactsIn', 'Part'],
  'src/changes/operations/operation.ts': [
    'Answers',
    'AnswerFacts',
    'AnswersWere',
    'NewValue',
    'NeedsUp',
    'Names',
    'OldValue',
    'RouteFact',
    'StatusPairs',
    'Statuses',
  ],
  'src/changes/operations/error-was.ts': [
    'ErrorFacts',
    'InferredErrors',
    'KnownErrors',
    'MembersOf',
    'ProblemNow',
  ],
  'src/changes/model.ts': ['ModelName', 'WholeShape'],
  'src/changes/versions.ts': ['Allowed'],
  // the dispatcher of the platform's own fetch, which has no name everywhere
  'src/extensions/undici/dispatcher.ts': ['OfPlatform'],
}

// one program serves both, because the compiler takes seconds to read the declarations
const { published, types } = withDeclarations((folder) => {
  const entryPoints = readEntryPoints()
  const program = openDeclarations(folder, entryPoints)
  return {
    published: readSurface(folder, entryPoints, program),
    types: new PublicTypes(program, folder, entryPoints),
  }
})

describe('the public types', () => {
  const reports = readReports()

  for (const [entry, declared] of published) {
    it(`of ${entry} are those of its report, which npm run api writes`, async () => {
      const now = await toReport(entry, declared)
      const kept = reports.get(toReportName(entry)) ?? ''
      // the diff has the declarations that differ alone
      assert.deepEqual(differenceOf(now, kept), differenceOf(kept, now))
      assert.equal(now, kept)
    })
  }

  it('have no other reports', () => {
    assert.deepEqual([...reports.keys()].toSorted(), [...published.keys()].map(toReportName).toSorted())
  })

  it('change only with an entry of the changelog, which npm run api explains', () => {
    const changes = compareFingerprints(readReleased().exports, toFingerprints(published))
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
    assert.deepEqual(findUnannounced(changes, changelog).map(describeChange), [])
  })

  it('have no type arguments that TypeScript 5.5 does not know', () => {
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      const [name = '', ...others] = namesOf(node)
      if (SINGLE.has(name) && others.length > 1) found.push(node.getText())
      ts.forEachChild(node, visit)
    }
    for (const [name, text] of reports)
      visit(ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS))
    assert.deepEqual(found, [])
  })

  it('were kept for the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    assert.equal(readReleased().version, version)
  })
})

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
    // one line of middleware for each framework, of which an application has one
    const frameworks = ['octavo/inside/express', 'octavo/inside/fastify', 'octavo/inside/hono']
    assert.deepEqual(types.collisions(), new Map([['inside', frameworks]]))
  })

  it('have docstrings, and so have their members', () => {
    const all = types.documented()
    // the walk has found more than a handful
    assert.ok(all.length > 1000, String(all.length))
    assert.deepEqual(
      all.filter(({ isDocumented }) => !isDocumented).map(({ name, file }) => `${file} ${name}`),
      [],
    )
  })
})

describe('a report', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'octavo-surface-')))
  after(() => rmSync(folder, { recursive: true }))

  function surfaceOf(files: Readonly<Record<string, string>>, ...entries: readonly string[]): Surface {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), text)
    return readSurface(
      folder,
      entries.map((name) => ({ name, file: `${name}.d.ts` })),
    )
  }
  const textsOf = (surface: Surface, entry: string): readonly string[] =>
    (surface.get(entry) ?? []).map(({ text }) => text)

  it('has exports by the names that users import, and what they name', () => {
    const surface = surfaceOf(
      {
        main: `import type { Inner } from './parts.ts';
export { make } from './parts.ts';
export type { Options as MakeOptions } from './parts.ts';
export declare const first: Inner;
export declare const second: import('./parts.ts').Options;`,
        parts: `/** A docstring. */
export interface Options { readonly b?: string; /** Another. */ a(): void; a(value: Inner): void }
export type Inner = { z: 1, y: unseen };
type unseen = 2;
interface NotNamed {}
export declare function make(options: Options): typeof import('./parts.ts').make;`,
      },
      'main',
    )
    assert.deepEqual(textsOf(surface, 'main'), [
      'type Inner = {\n    y: unseen;\n    z: 1;\n}',
      'export interface MakeOptions {\n    a(): void;\n    a(value: Inner): void;\n    readonly b?: string;\n}',
      'export const first: Inner',
      'export function make(options: MakeOptions): typeof make',
      'export const second: MakeOptions',
      'type unseen = 2',
    ])
  })

  it('leaves out private members', () => {
    const surface = surfaceOf(
      {
        main: `export declare class Car {
  #private;
  private wheels;
  private constructor();
  readonly name: string;
}`,
      },
      'main',
    )
    assert.deepEqual(textsOf(surface, 'main'), [
      'export class Car {\n    private constructor();\n    readonly name: string;\n}',
    ])
  })

  it('has a declaration once, with another name for another of the same name', () => {
    const surface = surfaceOf(
      {
        main: `export * from './one.ts';`,
        one: `type Level = 1; export declare const one: Level; export { one as uno };`,
        two: `type Level = 2; export declare const two: Level; export { one } from './one.ts';`,
      },
      'main',
      'two',
    )
    assert.deepEqual(textsOf(surface, 'two'), [
      'type Level_2 = 2',
      "export { one } from 'main'",
      'export const two: Level_2',
    ])
    assert.ok(textsOf(surface, 'main').includes('export { one as uno }'))
  })
})

describe('the changes of public types', () => {
  const before = {
    octavo: {
      createApp: '1',
      AppOptions: '2',
      'AppOptions.docs': '3',
      'AppOptions.old': '4',
      Gone: '5',
      'Gone.member': '6',
    },
    'octavo/old': { thing: '1' },
  }
  const now = {
    octavo: {
      createApp: '2',
      AppOptions: '2',
      'AppOptions.docs': '3',
      'AppOptions.next': '4',
      New: '1',
      'New.member': '2',
    },
    'octavo/next': { thing: '1' },
  }
  const changes = compareFingerprints(before, now)

  it('are those of exports, their members and entry points', () => {
    assert.deepEqual(changes.map(describeChange), [
      'octavo: createApp was changed',
      'octavo: AppOptions.old was removed',
      'octavo: Gone was removed',
      'octavo: AppOptions.next was added',
      'octavo: New was added',
      'octavo/old was removed',
      'octavo/next was added',
    ])
    assert.deepEqual(compareFingerprints(now, now), [])
  })

  it('are announced by code in the part of the changelog that is not released', () => {
    const missing = (changelog: string, some: readonly Change[] = changes): readonly string[] =>
      findUnannounced(some, changelog).map(describeChange)
    const announced = `# Changelog

## Unreleased

### Changed

- Types: \`createApp\` returns more. \`AppOptions.old\`,
  \`Gone\` and \`octavo/old\` are removed.
- The option \`next\` is new. See \`new New<T>()\` of \`octavo/next\`.
`
    assert.deepEqual(missing(announced), [])
    assert.equal(missing(announced.replace('Unreleased', '0.2.0')).length, changes.length)
    assert.equal(missing(`${announced}\n## 0.1.0\n`).length, 0)
    // the code of other entries announces additions alone
    assert.deepEqual(
      missing(announced.replace('Types: ', '')),
      changes.slice(0, 3).concat(changes.slice(5, 6)).map(describeChange),
    )
    assert.deepEqual(missing(announced.replace('`new New<T>()`', 'New')), ['octavo: New was added'])
  })
})
