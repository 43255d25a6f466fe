import type { Manifest } from '../command.ts'
import { APP, BOOKS, MAIN, TEST } from './sources.ts'

/** The files of a new project, by their paths. `origin` says where its Octavo comes from, if not from the registry. */
export function projectFiles(
  name: string,
  manifest: Manifest,
  origin: string | undefined,
): Readonly<Record<string, string>> {
  return {
    'package.json': toJson(packageOf(name, manifest, origin)),
    'tsconfig.json': toJson(TSCONFIG),
    '.gitignore': 'node_modules/\n.env\n*.log\n',
    'README.md': readmeOf(name),
    'src/main.ts': MAIN,
    'src/app.ts': APP,
    'src/books.ts': BOOKS,
    'test/app.test.ts': TEST,
  }
}

/** Versions are those that this package itself is built and tested with. */
function packageOf(
  name: string,
  { version, peerDependencies, devDependencies }: Manifest,
  origin: string | undefined,
): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    octavo: { app: 'src/app.ts' },
    scripts: {
      start: 'node --import tsx src/main.ts',
      dev: 'octavo dev src/main.ts',
      test: 'node --import tsx --test test/*.test.ts',
      openapi: 'octavo openapi --out openapi.json',
      routes: 'octavo routes',
      types: 'tsc',
    },
    dependencies: {
      octavo: origin ?? `^${version}`,
      tsx: devDependencies['tsx'],
      zod: peerDependencies['zod'],
    },
    devDependencies: {
      '@types/node': devDependencies['@types/node'],
      'swagger-ui-dist': peerDependencies['swagger-ui-dist'],
      typescript: devDependencies['typescript'],
    },
    // what swagger-ui-dist depends on reports installs otherwise
    scarfSettings: { enabled: false },
  }
}

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['src', 'test'],
}

function readmeOf(name: string): string {
  return `# ${name}

A versioned HTTP API made with Octavo. \`npm install\`, then:

- \`npm start\` serves it on port 3000 (\`PORT=8080 npm start\` for another); the page of its documents is at /docs
- \`npm run dev\` does so and starts again when a file changes
- \`npm test\` runs the tests, \`npm run types\` checks the types
- \`npm run routes\` lists the routes, \`npm run openapi\` writes openapi.json

Routes are in src/books.ts, the app and its versions in src/app.ts.
`
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
