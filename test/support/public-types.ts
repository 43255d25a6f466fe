import { dirname, join, relative } from 'node:path'

import ts from 'typescript-5.9'

const ROOT = join(import.meta.dirname, '../..')

/** The entry points of the package and their files. */
export const ENTRY_POINTS = {
  octavo: 'src/index.ts',
  'octavo/auth': 'src/extensions/auth/index.ts',
  'octavo/changes': 'src/changes/index.ts',
  'octavo/client': 'src/client/index.ts',
  'octavo/client/tanstack': 'src/client/tanstack/index.ts',
  'octavo/edge': 'src/edge.ts',
  'octavo/engine': 'src/extensions/engine/index.ts',
  'octavo/idempotency': 'src/extensions/idempotency/index.ts',
  'octavo/metrics': 'src/extensions/metrics/index.ts',
  'octavo/middleware': 'src/extensions/middleware/index.ts',
  'octavo/otel': 'src/extensions/otel/index.ts',
  'octavo/pages': 'src/extensions/pages/index.ts',
  'octavo/pins': 'src/extensions/pins/index.ts',
  'octavo/usage': 'src/extensions/usage/index.ts',
  'octavo/preconditions': 'src/extensions/preconditions/index.ts',
  'octavo/testing': 'src/testing/index.ts',
  'octavo/undici': 'src/extensions/undici/index.ts',
  'octavo/upstream': 'src/extensions/upstream/index.ts',
  'octavo/webhooks': 'src/extensions/webhooks/index.ts',
} as const

export type EntryPoint = keyof typeof ENTRY_POINTS

/** Names are all that is looked at, so that neither libraries nor packages are read, which takes four fifths of the time. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  noLib: true,
  types: [],
}

function createHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS)
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => ({
      resolvedModule: text.startsWith('.')
        ? { resolvedFileName: join(dirname(from), text), extension: ts.Extension.Ts }
        : undefined,
    }))
  return host
}

/** Where a name is used: `Module of octavo`. */
interface Use {
  readonly name: string
  readonly by: string
}

/** A declaration or member, and where it is. */
interface Documented {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly isDocumented: boolean
}

/** What the entry points export, read from the sources with the compiler API of TypeScript 5.9. */
export class PublicTypes {
  readonly #checker: ts.TypeChecker
  readonly #exports = new Map<EntryPoint, ReadonlyMap<string, ts.Symbol>>()

  constructor() {
    const files = Object.values(ENTRY_POINTS).map((file) => join(ROOT, file))
    const program = ts.createProgram(files, OPTIONS, createHost())
    this.#checker = program.getTypeChecker()
    for (const [entry, file] of Object.entries(ENTRY_POINTS) as [EntryPoint, string][]) {
      const source = program.getSourceFile(join(ROOT, file))
      const module = source === undefined ? undefined : this.#checker.getSymbolAtLocation(source)
      if (module === undefined) throw new Error(`${file} is no module`)
      this.#exports.set(
        entry,
        new Map(
          this.#checker.getExportsOfModule(module).map((symbol) => [symbol.name, this.#resolve(symbol)]),
        ),
      )
    }
  }

  /** The names that stand for different things in different entry points, each with these entry points. */
  collisions(): ReadonlyMap<string, readonly EntryPoint[]> {
    const found = new Map<string, Map<ts.Symbol, EntryPoint[]>>()
    for (const [entry, symbols] of this.#exports) {
      for (const [name, symbol] of symbols) {
        const meanings = found.get(name) ?? new Map<ts.Symbol, EntryPoint[]>()
        found.set(name, meanings.set(symbol, [...(meanings.get(symbol) ?? []), entry]))
      }
    }
    return new Map(
      [...found]
        .filter(([, meanings]) => meanings.size > 1)
        .map(([name, meanings]) => [name, [...meanings.values()].flat()]),
    )
  }

  /** The names of our own types that exported declarations refer to, and that neither their entry point nor `octavo` exports. */
  unexported(isExcepted: (name: string, file: string) => boolean = () => false): readonly Use[] {
    const shared = new Set(this.#exports.get('octavo')?.values())
    const found = new Map<ts.Symbol, Use>()
    for (const [entry, symbols] of this.#exports) {
      const exported = new Set([...shared, ...symbols.values()].flatMap((symbol) => this.#meanings(symbol)))
      const queue = new Set(symbols.values())
      const isFine = (used: ts.Symbol): boolean => exported.has(used) || queue.has(used)
      // a set also visits what is added while it is visited
      for (const symbol of queue) {
        const names = [...this.#used(symbol)].filter(isOwn)
        const missing = names.filter((used) => !isFine(used) && !isExcepted(used.name, fileOf(used)))
        for (const used of missing) {
          found.set(used, { name: `${used.name} (${fileOf(used)})`, by: `${symbol.name} of ${entry}` })
        }
        for (const used of [...names.filter(isFine), ...missing]) queue.add(used)
      }
    }
    return [...found.values()]
  }

  /** The exported declarations and their members, each with whether it has a docstring. `@default` alone is none. */
  documented(): readonly Documented[] {
    const found = new Map<ts.Node, Documented>()
    for (const symbols of this.#exports.values()) {
      for (const [name, symbol] of symbols) {
        const [first] = symbol.declarations ?? []
        if (first !== undefined) found.set(first, toDocumented(name, first, hasDocstring(symbol)))
        const declarations = this.#meanings(symbol).flatMap((each) => each.declarations ?? [])
        for (const declaration of new Set(declarations)) this.#addMembers(found, name, declaration)
      }
    }
    return [...found.values()].filter(({ file }) => file.startsWith('src/'))
  }

  #addMembers(found: Map<ts.Node, Documented>, path: string, node: ts.Node): void {
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node)) {
      for (const member of node.members) this.#addMember(found, path, member)
    } else if (ts.isTypeAliasDeclaration(node) || ts.isParenthesizedTypeNode(node)) {
      this.#addMembers(found, path, node.type)
    } else if (ts.isFunctionDeclaration(node)) {
      for (const { type } of node.parameters) {
        if (type !== undefined) this.#addMembers(found, path, type)
      }
    } else if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) {
      for (const type of node.types) this.#addMembers(found, path, type)
    }
  }

  #addMember(found: Map<ts.Node, Documented>, path: string, member: ts.TypeElement | ts.ClassElement): void {
    if (isHidden(member) || ts.isConstructorDeclaration(member) || found.has(member)) return
    const symbol = member.name === undefined ? undefined : this.#checker.getSymbolAtLocation(member.name)
    const key = `${path}.${member.name?.getText() ?? '[]'}`
    // of overloads, one is enough
    found.set(
      member,
      toDocumented(key, member, symbol === undefined ? hasText(member) : hasDocstring(symbol)),
    )
    if (ts.isPropertySignature(member) && member.type !== undefined) {
      this.#addMembers(found, key, member.type)
    }
  }

  /** A symbol, and the type that it has if it is another name of one. */
  #meanings(symbol: ts.Symbol): readonly ts.Symbol[] {
    const { symbol: other, aliasSymbol } = this.#checker.getDeclaredTypeOfSymbol(symbol)
    return [symbol, other, aliasSymbol].filter((each) => each !== undefined)
  }

  #resolve(symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol)
  }

  #used(symbol: ts.Symbol): ReadonlySet<ts.Symbol> {
    const used = new Set<ts.Symbol>()
    const declarations = symbol.declarations ?? []
    const overloaded = declarations.some((node) => ts.isFunctionDeclaration(node) && node.body === undefined)
    for (const declaration of declarations) {
      if (overloaded && ts.isFunctionDeclaration(declaration) && declaration.body !== undefined) continue
      this.#visit(declaration, used)
    }
    return used
  }

  /** Collects the names in the public part of a declaration. */
  #visit(node: ts.Node, used: Set<ts.Symbol>): void {
    if (isHidden(node) || ts.isBlock(node)) return
    const name = referredName(node)
    if (name !== undefined) {
      // nodes that the checker made for an inferred type have their symbol with them
      const symbol = this.#checker.getSymbolAtLocation(name) ?? (name as { symbol?: ts.Symbol }).symbol
      if (symbol !== undefined) used.add(this.#resolve(symbol))
    }
    this.#visitInferred(node, used)
    ts.forEachChild(node, (child) => {
      if (!isInitializer(node, child)) this.#visit(child, used)
    })
  }

  /** The names in the type of something that is written without one. */
  #visitInferred(node: ts.Node, used: Set<ts.Symbol>): void {
    const isInferred =
      ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.type === undefined) ||
      (ts.isParameter(node) && node.type === undefined && node.initializer !== undefined)
    if (isInferred) {
      const type = this.#checker.typeToTypeNode(
        this.#checker.getTypeAtLocation(node),
        node,
        ts.NodeBuilderFlags.NoTruncation,
      )
      if (type !== undefined) this.#visit(type, used)
    }
    const isReturning =
      ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node)
    if (isReturning && node.type === undefined) {
      const signature = this.#checker.getSignatureFromDeclaration(node)
      const type =
        signature &&
        this.#checker.typeToTypeNode(signature.getReturnType(), node, ts.NodeBuilderFlags.NoTruncation)
      if (type !== undefined) this.#visit(type, used)
    }
  }
}

function referredName(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  if (ts.isTypeQueryNode(node)) return node.exprName
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

/** Whether a child is the value of something, and no part of its type. */
function isInitializer(node: ts.Node, child: ts.Node): boolean {
  return (
    (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)) &&
    node.initializer === child
  )
}

/** Whether a declaration is private or marked as internal. */
function isHidden(node: ts.Node): boolean {
  if (ts.isClassElement(node)) {
    if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true
    if (
      ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
    )
      return true
  }
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')
}

const NAMED_TYPE = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias

function isOwn(symbol: ts.Symbol): boolean {
  if ((symbol.flags & NAMED_TYPE) === 0) return false
  return (symbol.declarations ?? []).some((node) => {
    const file = node.getSourceFile().fileName
    const isNamed =
      ts.isSourceFile(node.parent) || ts.isVariableDeclaration(node) || ts.isModuleBlock(node.parent)
    return isNamed && file.startsWith(join(ROOT, 'src'))
  })
}

function fileOf(symbol: ts.Symbol): string {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName
  return file === undefined ? '?' : relative(ROOT, file)
}

function hasDocstring(symbol: ts.Symbol): boolean {
  return symbol.getDocumentationComment(undefined).length > 0
}

function hasText(node: ts.Node): boolean {
  return ts.getJSDocCommentsAndTags(node).some(({ comment }) => comment !== undefined)
}

function toDocumented(name: string, node: ts.Node, isDocumented: boolean): Documented {
  const source = node.getSourceFile()
  const { line } = source.getLineAndCharacterOfPosition(node.getStart())
  return { name, file: relative(ROOT, source.fileName), line: line + 1, isDocumented }
}
