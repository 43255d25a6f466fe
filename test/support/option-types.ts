import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import ts from 'typescript-5.9'

const FOLDER = join(import.meta.dirname, '../api')

/** Utility types that have the members of their first argument, and those whose last argument they hold. */
const SAME: ReadonlySet<string> = new Set(['Readonly', 'Partial', 'Omit', 'Pick', 'NoInfer', 'Awaitable'])
const HOLDERS: ReadonlySet<string> = new Set(['Record', 'ReadonlyArray', 'Array'])

/**
 * Lists where users pass objects with optional members, from the reports of the public types: `file(FileOptions)` for a parameter of a
 * function, `App.listen(ListenOptions)` for one of a method, `AppOptions.limits: Limits` for a member of such an object. Types without a
 * name are listed by their members. Only names and syntax count, so no program is created.
 */
export function optionTypes(): readonly string[] {
  return new Walk(readDeclarations()).found()
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.FunctionDeclaration
type Other = ts.ClassDeclaration | ts.VariableStatement
type Scope = ReadonlyMap<string, ts.TypeNode | undefined>
type Members = ts.InterfaceDeclaration | ts.TypeLiteralNode

function readDeclarations(): ReadonlyMap<string, Declaration | Other> {
  const found = new Map<string, Declaration | Other>()
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS)
    // overloads have one name
    for (const [name, node] of source.statements.flatMap(toDeclared))
      found.set(found.has(name) ? `${name} ${found.size}` : name, node)
  }
  return found
}

/** A declaration by its name. That of a value may be the name of a type, too. */
function toDeclared(node: ts.Statement): readonly (readonly [string, Declaration | Other])[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => [`${name.getText()} value`, node] as const)
  const isDeclared =
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node)
  return isDeclared && node.name !== undefined ? [[node.name.text, node]] : []
}

class Walk {
  readonly #declarations: ReadonlyMap<string, Declaration | Other>
  readonly #found = new Set<string>()
  /** The types that are option types, whose members are walked. */
  readonly #open = new Set<string>()

  constructor(declarations: ReadonlyMap<string, Declaration | Other>) {
    this.#declarations = declarations
  }

  found(): readonly string[] {
    for (const [key, node] of this.#declarations) {
      const [name = ''] = key.split(' ')
      if (!isExported(node)) continue
      if (ts.isFunctionDeclaration(node)) this.#parameters(name, node, new Map())
      else if (ts.isVariableStatement(node)) {
        for (const { type } of node.declarationList.declarations) this.#callable(name, type, new Map())
      } else if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) {
        for (const member of node.members) this.#method(name, member, scopeOf(node, new Map()))
      }
    }
    return [...this.#found].toSorted()
  }

  #method(owner: string, member: ts.TypeElement | ts.ClassElement, scope: Scope): void {
    const name = ts.isConstructorDeclaration(member) ? 'new' : member.name?.getText()
    const isMethod =
      ts.isMethodSignature(member) || ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)
    if (isMethod) this.#parameters(`${owner}.${name}`, member, scope)
    else if (ts.isCallSignatureDeclaration(member)) this.#parameters(owner, member, scope)
    else if (ts.isPropertySignature(member) && member.type !== undefined) {
      if (ts.isTypeLiteralNode(member.type))
        for (const inner of member.type.members) this.#method(`${owner}.${name}`, inner, scope)
      else this.#callable(`${owner}.${name}`, member.type, scope)
    }
  }

  #callable(name: string, type: ts.TypeNode | undefined, scope: Scope): void {
    if (type === undefined) return
    if (ts.isFunctionTypeNode(type)) this.#parameters(name, type, scope)
    if (!ts.isTypeReferenceNode(type)) return
    const target = this.#declarations.get(type.typeName.getText())
    if (target !== undefined && ts.isTypeAliasDeclaration(target))
      this.#callable(name, target.type, scopeOf(target, scope))
  }

  #parameters(name: string, node: ts.SignatureDeclaration, outer: Scope): void {
    const scope = scopeOf(node, outer)
    for (const { type } of node.parameters) {
      if (type !== undefined) this.#take(type, (label) => `${name}(${label})`, scope, new Set())
    }
  }

  /** Adds the option types in a type. Functions in it are called by us, so their parameters are none. */
  #take(type: ts.TypeNode, toKey: (label: string) => string, scope: Scope, seen: Set<string>): void {
    if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type))
      for (const each of type.types) this.#take(each, toKey, scope, seen)
    else if (ts.isParenthesizedTypeNode(type) || ts.isTypeOperatorNode(type))
      this.#take(type.type, toKey, scope, seen)
    else if (ts.isArrayTypeNode(type)) this.#take(type.elementType, toKey, scope, seen)
    else if (ts.isConditionalTypeNode(type)) {
      this.#take(type.trueType, toKey, scope, seen)
      this.#take(type.falseType, toKey, scope, seen)
    } else if (ts.isTypeLiteralNode(type)) {
      if (hasOptional(type)) this.#add(type, toKey, `{ ${namesOf(type).join(', ')} }`, scope)
    } else if (ts.isTypeReferenceNode(type)) this.#takeReference(type, toKey, scope, seen)
  }

  #takeReference(
    type: ts.TypeReferenceNode,
    toKey: (label: string) => string,
    scope: Scope,
    seen: Set<string>,
  ): void {
    const name = type.typeName.getText()
    const args = type.typeArguments ?? []
    const held = SAME.has(name) ? args[0] : HOLDERS.has(name) ? args.at(-1) : undefined
    if (held !== undefined) {
      this.#take(held, toKey, scope, seen)
      return
    }
    if (seen.has(name)) return
    seen.add(name)
    if (scope.has(name)) {
      const constraint = scope.get(name)
      if (constraint !== undefined) this.#take(constraint, toKey, scope, seen)
      return
    }
    const target = this.#declarations.get(name)
    if (target === undefined) return
    if (ts.isTypeAliasDeclaration(target)) this.#take(target.type, toKey, scopeOf(target, scope), seen)
    else if (ts.isInterfaceDeclaration(target) && this.#isOption(target))
      this.#add(target, toKey, name, scopeOf(target, new Map()))
  }

  #isOption(node: ts.InterfaceDeclaration): boolean {
    return (
      hasOptional(node) ||
      node.name.text.endsWith('Options') ||
      this.#bases(node).some((base) => this.#isOption(base))
    )
  }

  #bases(node: ts.InterfaceDeclaration): readonly ts.InterfaceDeclaration[] {
    return (node.heritageClauses ?? []).flatMap(({ types }) =>
      types.flatMap(({ expression, typeArguments = [] }) => {
        const name = SAME.has(expression.getText()) ? typeArguments[0]?.getText() : expression.getText()
        const base = this.#declarations.get(String(name).replace(/<.*/s, ''))
        return base !== undefined && ts.isInterfaceDeclaration(base) ? [base] : []
      }),
    )
  }

  #add(node: Members, toKey: (label: string) => string, label: string, scope: Scope): void {
    this.#found.add(toKey(label))
    if (this.#open.has(label)) return
    this.#open.add(label)
    const inherited = ts.isInterfaceDeclaration(node)
      ? this.#bases(node).flatMap((base) => [...base.members])
      : []
    for (const member of [...node.members, ...inherited]) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue
      const name = member.name.getText()
      this.#take(member.type, (inner) => `${label}.${name}: ${inner}`, scope, new Set())
    }
  }
}

function scopeOf(node: ts.DeclarationWithTypeParameters, outer: Scope): Scope {
  const own = ts.getEffectiveTypeParameterDeclarations(node)
  return new Map([...outer, ...own.map(({ name, constraint }) => [name.text, constraint] as const)])
}

function hasOptional(node: Members): boolean {
  return node.members.some(
    (member) =>
      (ts.isPropertySignature(member) || ts.isMethodSignature(member)) && member.questionToken !== undefined,
  )
}

function namesOf(node: Members): readonly string[] {
  return node.members.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]))
}

function isExported(node: Declaration | Other): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
}
