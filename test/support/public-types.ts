import { relative } from 'node:path/posix'

import ts from 'typescript-5.9'

import type { EntryPoint } from '../../scripts/api/declarations.ts'
import { exportsOf, isHidden, resolve } from '../../scripts/api/surface.ts'

/** Where a name is used: `Module of octavo`. */
interface Use {
  readonly name: string
  readonly by: string
}

/** A declaration or member, and the file of `src` that it is in. */
interface Documented {
  readonly name: string
  readonly file: string
  readonly isDocumented: boolean
}

/** What the entry points export, read from the declarations of the package. */
export class PublicTypes {
  readonly #folder: string
  readonly #checker: ts.TypeChecker
  readonly #exports: ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>

  constructor(program: ts.Program, folder: string, entryPoints: readonly EntryPoint[]) {
    this.#folder = folder
    this.#checker = program.getTypeChecker()
    this.#exports = exportsOf(program, folder, entryPoints)
  }

  /** The names that stand for different things in different entry points, each with these entry points. */
  collisions(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Map<ts.Symbol, string[]>>()
    for (const [entry, symbols] of this.#exports) {
      for (const [name, symbol] of symbols) {
        const meanings = found.get(name) ?? new Map<ts.Symbol, string[]>()
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
        const names = [...this.#used(symbol)].filter((used) => this.#isOwn(used))
        const missing = names.filter(
          (used) => !isFine(used) && !isExcepted(used.name, this.#fileOf(used.declarations?.[0])),
        )
        for (const used of missing) {
          const name = `${used.name} (${this.#fileOf(used.declarations?.[0])})`
          found.set(used, { name, by: `${symbol.name} of ${entry}` })
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
        if (first !== undefined) this.#addDocumented(found, name, first, hasDocstring(symbol))
        const declarations = this.#meanings(symbol).flatMap((each) => each.declarations ?? [])
        for (const declaration of new Set(declarations)) this.#addMembers(found, name, declaration)
      }
    }
    return [...found.values()]
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
    this.#addDocumented(found, key, member, symbol === undefined ? hasText(member) : hasDocstring(symbol))
    if (ts.isPropertySignature(member) && member.type !== undefined) {
      this.#addMembers(found, key, member.type)
    }
  }

  /** A symbol, and the type that it has if it is another name of one. */
  #meanings(symbol: ts.Symbol): readonly ts.Symbol[] {
    const { symbol: other, aliasSymbol } = this.#checker.getDeclaredTypeOfSymbol(symbol)
    return [symbol, other, aliasSymbol].filter((each) => each !== undefined)
  }

  #addDocumented(found: Map<ts.Node, Documented>, name: string, node: ts.Node, isDocumented: boolean): void {
    found.set(node, { name, file: this.#fileOf(node), isDocumented })
  }

  #used(symbol: ts.Symbol): ReadonlySet<ts.Symbol> {
    const used = new Set<ts.Symbol>()
    for (const declaration of symbol.declarations ?? []) this.#visit(declaration, used)
    return used
  }

  /** Collects the names in a declaration. */
  #visit(node: ts.Node, used: Set<ts.Symbol>): void {
    if (ts.isClassElement(node) && isHidden(node)) return
    const name = referredName(node)
    const symbol = name && this.#checker.getSymbolAtLocation(name)
    if (symbol !== undefined) used.add(resolve(this.#checker, symbol))
    ts.forEachChild(node, (child) => this.#visit(child, used))
  }

  #isOwn(symbol: ts.Symbol): boolean {
    if ((symbol.flags & NAMED_TYPE) === 0) return false
    return (symbol.declarations ?? []).some((node) => {
      const isNamed =
        ts.isSourceFile(node.parent) || ts.isVariableDeclaration(node) || ts.isModuleBlock(node.parent)
      return isNamed && node.getSourceFile().fileName.startsWith(this.#folder)
    })
  }

  /** The file of the sources that a declaration was made of. */
  #fileOf(node: ts.Node | undefined): string {
    if (node === undefined) return '?'
    return `src/${relative(this.#folder, node.getSourceFile().fileName).replace(/\.d\.ts$/, '.ts')}`
  }
}

function referredName(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  if (ts.isTypeQueryNode(node)) return node.exprName
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

const NAMED_TYPE = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias

function hasDocstring(symbol: ts.Symbol): boolean {
  return symbol.getDocumentationComment(undefined).length > 0
}

function hasText(node: ts.Node): boolean {
  return ts.getJSDocCommentsAndTags(node).some(({ comment }) => comment !== undefined)
}
