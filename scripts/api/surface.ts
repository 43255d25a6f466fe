import { dirname, join } from 'node:path'

import ts from 'typescript-5.9'

import type { EntryPoint } from './declarations.ts'

/** A declaration of an entry point as its users see it. */
export interface Declared {
  readonly name: string
  /** Whether it can be imported. Others are named by one that can. */
  readonly isExported: boolean
  /** The code, without docstrings and private members. Members are sorted by their names. */
  readonly text: string
  /** The code of an interface or a class without members, or else the same as `text`. */
  readonly head: string
  /** The code of each member of an interface or a class, by its name. Overloads are one member. */
  readonly members: ReadonlyMap<string, string>
}

/** What each entry point declares, sorted by names. */
export type Surface = ReadonlyMap<string, readonly Declared[]>

/** Names are all that is looked up, so neither libraries nor packages are read. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
}

/** Opens the declarations in a folder that entry points lead to. */
export function openDeclarations(folder: string, entryPoints: readonly EntryPoint[]): ts.Program {
  return ts.createProgram(
    entryPoints.map(({ file }) => join(folder, file)),
    OPTIONS,
    createHost(),
  )
}

/** The exports of each entry point by their names, each as what it stands for. */
export function exportsOf(
  program: ts.Program,
  folder: string,
  entryPoints: readonly EntryPoint[],
): ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>> {
  const checker = program.getTypeChecker()
  return new Map(
    entryPoints.map(({ name, file }) => {
      const source = program.getSourceFile(join(folder, file))
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
      if (module === undefined) throw new Error(`${file} is no module`)
      const symbols = checker.getExportsOfModule(module)
      return [name, new Map(symbols.map((each) => [each.name, resolve(checker, each)]))]
    }),
  )
}

/** Leads from another name of a declaration to the declaration. */
export function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

/** Reads what entry points declare from a folder of declarations. */
export function readSurface(
  folder: string,
  entryPoints: readonly EntryPoint[],
  program = openDeclarations(folder, entryPoints),
): Surface {
  return new Reader(folder, entryPoints, program).read(entryPoints)
}

/** Compares texts by their code units, which no machine orders differently. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

class Reader {
  readonly #folder: string
  readonly #checker: ts.TypeChecker
  readonly #exports: ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>
  /** The name of each declaration, which no other has. */
  readonly #names = new Map<ts.Symbol, string>()
  /** The entry point whose report has a declaration. */
  readonly #homes = new Map<ts.Symbol, string>()

  constructor(folder: string, entryPoints: readonly EntryPoint[], program: ts.Program) {
    this.#folder = folder
    this.#checker = program.getTypeChecker()
    this.#exports = exportsOf(program, folder, entryPoints)
    for (const symbols of this.#exports.values()) {
      for (const [name, symbol] of symbols) if (!this.#names.has(symbol)) this.#names.set(symbol, name)
    }
  }

  read(entryPoints: readonly EntryPoint[]): Surface {
    // exports find their homes before anything that they name
    for (const [entry, symbols] of this.#exports) {
      for (const symbol of symbols.values()) if (!this.#homes.has(symbol)) this.#homes.set(symbol, entry)
    }
    return new Map(entryPoints.map(({ name }) => [name, this.#readEntry(name)]))
  }

  #readEntry(entry: string): readonly Declared[] {
    const exported = this.#exports.get(entry) ?? new Map<string, ts.Symbol>()
    const again = [...exported].filter(
      ([name, symbol]) => this.#homes.get(symbol) !== entry || this.#names.get(symbol) !== name,
    )
    const own = new Set([...exported.values()].filter((symbol) => this.#homes.get(symbol) === entry))
    const found: Declared[] = again.map(([name, symbol]) => this.#toExport(name, symbol, entry))
    const all = new Set(own)
    // a set also visits what is added while it is visited
    for (const symbol of all) {
      found.push(
        this.#toDeclared(symbol, own.has(symbol), (used) => {
          const home = this.#homes.get(used)
          if (home !== undefined) return
          this.#homes.set(used, entry)
          all.add(used)
        }),
      )
    }
    return found.toSorted((a, b) => compareTexts(a.name, b.name))
  }

  /** An export that another entry point has, or that has another name as well. */
  #toExport(name: string, symbol: ts.Symbol, entry: string): Declared {
    const first = this.#nameOf(symbol)
    const home = this.#homes.get(symbol)
    const text = `export { ${first === name ? name : `${first} as ${name}`} }${home === entry ? '' : ` from '${home}'`}`
    return { name, isExported: true, text, head: text, members: new Map() }
  }

  #toDeclared(symbol: ts.Symbol, isExported: boolean, onUse: (symbol: ts.Symbol) => void): Declared {
    const members = new Map<string, string>()
    const statements = (symbol.declarations ?? []).map(toStatement).filter((node) => node !== undefined)
    const texts = statements.map((statement) => {
      const source = statement.getSourceFile()
      const print = (each: ts.Node): string =>
        PRINTER.printNode(ts.EmitHint.Unspecified, each, source).replace(/;$/, '')
      const renamed = this.#rewrite(statement, isExported, onUse)
      if (!hasMembers(renamed)) return { text: print(renamed), head: print(renamed) }
      for (const member of renamed.members) {
        const name = nameOfMember(member, source)
        const overloads = members.get(name)
        members.set(name, overloads === undefined ? print(member) : `${overloads}\n${print(member)}`)
      }
      return { text: print(renamed), head: print(withMembers(renamed, () => [])) }
    })
    const joined = (key: 'text' | 'head'): string => texts.map((each) => each[key]).join('\n')
    return { name: this.#nameOf(symbol), isExported, text: joined('text'), head: joined('head'), members }
  }

  /** A declaration with the names that users know, without what they do not see. */
  #rewrite(statement: ts.Statement, isExported: boolean, onUse: (symbol: ts.Symbol) => void): ts.Node {
    const toName = (node: ts.Node): string | undefined => {
      const symbol = this.#ownSymbolAt(node)
      if (symbol === undefined) return undefined
      onUse(symbol)
      return this.#nameOf(symbol)
    }
    const { transformed } = ts.transform<ts.Node>(statement, [
      (context) => {
        const visit = (node: ts.Node): ts.Node => {
          if (ts.isImportTypeNode(node) && node.qualifier !== undefined) {
            const name = toName(node.qualifier)
            if (name !== undefined) return toReference(name, ts.visitEachChild(node, visit, context))
          }
          if (ts.isIdentifier(node)) {
            const name = toName(node)
            return name === undefined ? node : ts.factory.createIdentifier(name)
          }
          return withSortedMembers(ts.visitEachChild(node, visit, context), statement.getSourceFile())
        }
        return (node) => withModifiers(visit(node), isExported)
      },
    ])
    return transformed[0] ?? statement
  }

  /** The declaration at the top of one of our modules that a name means. */
  #ownSymbolAt(name: ts.Node): ts.Symbol | undefined {
    const found = this.#checker.getSymbolAtLocation(name)
    if (found === undefined) return undefined
    const symbol = resolve(this.#checker, found)
    const isOwn = (symbol.declarations ?? []).some(
      (node) => node.getSourceFile().fileName.startsWith(this.#folder) && toStatement(node) !== undefined,
    )
    return isOwn ? symbol : undefined
  }

  /** The name of a declaration. One that is not exported has a number behind its name if the name is taken. */
  #nameOf(symbol: ts.Symbol): string {
    const known = this.#names.get(symbol)
    if (known !== undefined) return known
    const taken = new Set(this.#names.values())
    let name = symbol.name
    for (let count = 2; taken.has(name); count++) name = `${symbol.name}_${count}`
    this.#names.set(symbol, name)
    return name
  }
}

const PRINTER = ts.createPrinter({ removeComments: true })

function createHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS)
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => ({
      resolvedModule: text.startsWith('.')
        ? {
            resolvedFileName: join(dirname(from), text.replace(/\.ts$/, '.d.ts')),
            extension: ts.Extension.Dts,
          }
        : undefined,
    }))
  return host
}

/** The statement of a declaration at the top of a module. Others, such as members and type parameters, have none. */
function toStatement(node: ts.Declaration): ts.Statement | undefined {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts.isSourceFile(statement.parent) && ts.isStatement(statement) ? statement : undefined
}

/** A type that stands in for `import('…').Name`. */
function toReference(name: string, { isTypeOf, typeArguments }: ts.ImportTypeNode): ts.TypeNode {
  return isTypeOf
    ? ts.factory.createTypeQueryNode(ts.factory.createIdentifier(name), typeArguments)
    : ts.factory.createTypeReferenceNode(name, typeArguments)
}

type WithMembers = ts.InterfaceDeclaration | ts.ClassDeclaration

function hasMembers(node: ts.Node): node is WithMembers {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
}

type Choose = <M extends ts.TypeElement | ts.ClassElement>(members: readonly M[]) => readonly M[]

/** An interface, class or type of an object with the members that are chosen. */
function withMembers(node: ts.Node, choose: Choose): ts.Node {
  const { factory } = ts
  if (ts.isTypeLiteralNode(node)) return factory.createTypeLiteralNode(choose(node.members))
  if (!hasMembers(node)) return node
  const { modifiers, name, typeParameters, heritageClauses } = node
  return ts.isInterfaceDeclaration(node)
    ? factory.updateInterfaceDeclaration(
        node,
        modifiers,
        node.name,
        typeParameters,
        heritageClauses,
        choose(node.members),
      )
    : factory.updateClassDeclaration(
        node,
        modifiers,
        name,
        typeParameters,
        heritageClauses,
        choose(node.members),
      )
}

/** Sorts members by their names. Those of one name keep their order, because that of overloads counts. */
function withSortedMembers(node: ts.Node, source: ts.SourceFile): ts.Node {
  return withMembers(node, (members) =>
    members
      .filter((member) => !isHidden(member))
      .toSorted((a, b) => compareTexts(nameOfMember(a, source), nameOfMember(b, source))),
  )
}

/** The name of a member; its kind in brackets if it has none. */
function nameOfMember(member: ts.TypeElement | ts.ClassElement, source: ts.SourceFile): string {
  if (member.name !== undefined) return PRINTER.printNode(ts.EmitHint.Unspecified, member.name, source)
  if (ts.isConstructorDeclaration(member) || ts.isConstructSignatureDeclaration(member)) return '(new)'
  return ts.isIndexSignatureDeclaration(member) ? '(index)' : '(call)'
}

/** Whether a member of a class is private. */
export function isHidden(member: ts.TypeElement | ts.ClassElement): boolean {
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true
  return (
    ts.canHaveModifiers(member) &&
    !ts.isConstructorDeclaration(member) &&
    (ts.getModifiers(member) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  )
}

/** A statement with `export` if it is exported, and without `declare`. */
function withModifiers(node: ts.Node, isExported: boolean): ts.Node {
  if (!ts.canHaveModifiers(node)) return node
  const kept = (ts.getModifiers(node) ?? []).filter(
    ({ kind }) => kind !== ts.SyntaxKind.ExportKeyword && kind !== ts.SyntaxKind.DeclareKeyword,
  )
  const modifiers = [...(isExported ? [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)] : []), ...kept]
  return ts.factory.replaceModifiers(node, modifiers)
}
