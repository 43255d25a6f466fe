import { checkAt, type DefinitionProblem } from '../base/definition-error.ts'
import { isPromise, describeValue } from '../base/values.ts'
import { checkFields, isDefinition } from './check-fields.ts'
import { resolveLazy } from '../define/lazy.ts'
import type { AnyModule } from '../define/module.ts'

/** A module in the tree of an application. */
export interface ModuleNode {
  readonly module: AnyModule
  /** How messages call it. */
  readonly label: string
  readonly imports: readonly ModuleNode[]
}

/** The modules of an application, each once. */
export interface ModuleTree {
  /** Imports first. */
  readonly modules: readonly ModuleNode[]
  /** Imports that are still promises: the tree is not complete without them. */
  readonly pending: readonly PromiseLike<unknown>[]
  readonly problems: readonly DefinitionProblem[]
}

/** The modules that promises turned out to be. */
type SettledModules = ReadonlyMap<PromiseLike<unknown>, unknown>

/** Lists the root module and everything it imports, each once, imports first; cycles are legal. */
export function collectModules(root: unknown, settled: SettledModules = new Map()): ModuleTree {
  const problems: DefinitionProblem[] = []
  const nodes = new Map<AnyModule, ModuleNode>()
  const modules: ModuleNode[] = []
  const pending: PromiseLike<unknown>[] = []
  if (isModule(root)) visit(root)
  else problems.push(noRoot(root))
  return { modules, pending, problems }

  function visit(module: AnyModule): ModuleNode {
    return nodes.get(module) ?? checkAt(module, problems, () => enter(module))
  }

  function enter(module: AnyModule): ModuleNode {
    const imports: ModuleNode[] = []
    const node: ModuleNode = { module, imports, label: labelOf(module, nodes.size === 0) }
    nodes.set(module, node)
    const found = checkFields('module', module, node.label)
    problems.push(...found)
    if (found.some(({ code }) => code === 'invalid_field')) return node
    for (const [index, imported] of (module.imports ?? []).entries()) {
      const child = read(imported, node, index)
      if (child !== undefined && !imports.includes(child)) imports.push(child)
    }
    modules.push(node)
    return node
  }

  function read(imported: unknown, { label }: ModuleNode, index: number): ModuleNode | undefined {
    const value = resolveLazy(imported)
    if (isModule(value)) return visit(value)
    if (isPromise(value)) {
      const resolved = resolveLazy(settled.get(value))
      if (isModule(resolved)) return visit(resolved)
      if (!settled.has(value)) pending.push(value)
      else
        problems.push(
          noModule(label, `imports[${index}] is a promise of ${describeValue(resolved)}`, resolved),
        )
      return undefined
    }
    problems.push(noModule(label, `imports[${index}] is ${describeValue(value)}`, value))
    return undefined
  }
}

function noRoot(root: unknown): DefinitionProblem {
  return {
    code: 'invalid_field',
    where: 'createApp',
    message: `the root module is ${describeValue(root)}`,
    fix: 'write createApp(defineModule({ controllers: [carController] }))',
  }
}

function noModule(where: string, message: string, value: unknown): DefinitionProblem {
  return { code: 'invalid_import', where, message: `${message}, not a module`, fix: fixOf(value) }
}

function isModule(value: unknown): value is AnyModule {
  return isDefinition('module')(value)
}

/** Modules without a name are called after what they hold. */
function labelOf(module: AnyModule, isRoot: boolean): string {
  if (typeof module.name === 'string') return module.name
  if (isRoot) return 'the root module'
  const [controller] = [...listOf(module.controllers), ...listOf(module.routers)]
  const inside = nameOf(controller) ?? nameOf(listOf(module.providers)[0])
  return inside === undefined ? 'a module without a name' : `the module of ${inside}`
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('name' in value && typeof value.name === 'string') return value.name
  return 'prefix' in value && typeof value.prefix === 'string' ? value.prefix : undefined
}

/** The field of a module in which each kind of definition belongs. */
const FIELD_OF: Readonly<Record<string, string>> = {
  controller: 'controllers',
  router: 'routers',
  provider: 'providers',
  binding: 'providers',
  guard: 'guards',
  interceptor: 'interceptors',
  'error-handler': 'errorHandlers',
}

function fixOf(value: unknown): string {
  const field = fieldOf(value)
  if (field !== undefined) return `move it to ${field}`
  if (typeof value === 'function')
    return 'call it if it returns one; write lazy(() => SomeModule) if it is defined later'
  if (value === undefined)
    return 'two files may import each other: write lazy(() => SomeModule) in one of them'
  return 'pass the result of defineModule, or a promise of it'
}

function fieldOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined
  const kind = String(value.kind)
  return Object.hasOwn(FIELD_OF, kind) ? FIELD_OF[kind] : undefined
}
