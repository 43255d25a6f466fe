import type { AnyModule, Module } from '../define/module.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import { toEnabled } from '../versioning/enable.ts'
import type { Enabled, VersioningOptions } from '../versioning/enable.ts'
import type { VersioningScheme } from '../versioning/scheme.ts'
import { compile, readDefinitions } from './compile.ts'
import type { Compiled } from './compile.ts'
import type { Dispatch } from './dispatch.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createNodeHandler } from './node.ts'
import type { NodeHandler } from './node.ts'
import { optionProblems, toSettings } from './settings.ts'
import type { AppOptions as Options, Settings } from './settings.ts'

/** What `createApp` takes besides the module. */
export interface AppOptions<O extends object = object> extends Options {
  /** The same as a call of `enableVersioning`. */
  readonly versioning?: readonly [scheme: VersioningScheme<O>, options?: O & VersioningOptions]
}

/** What every door of an application goes through. */
export interface Core {
  readonly settings: Settings
  readonly routes: readonly FlatRoute[]
  readonly lifecycle: Lifecycle
  readonly enableVersioning: <O extends object>(
    scheme: VersioningScheme<O>,
    options?: O & VersioningOptions,
  ) => void
  readonly enabled: () => Enabled | undefined
  /** Compiles the routes; versioning may still change. */
  readonly build: () => Compiled
  /** Compiles the routes for good. */
  readonly open: () => { readonly dispatch: Dispatch; readonly handler: NodeHandler }
}

/** Reads the definitions of an application; compiling waits until versioning is settled. */
export function createCore<O extends object>(module: Module<unknown, unknown>, options: AppOptions<O>): Core {
  const mistakes = optionProblems(options)
  const { versioning, ...rest } = options
  const settings = toSettings(mistakes.length > 0 ? {} : rest)
  // what a module was made of is checked field by field
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const routes = readDefinitions(module as unknown as AnyModule, settings.prefix, mistakes)
  const lifecycle = createLifecycle()
  let enabled = versioning === undefined ? undefined : enable(...versioning)
  let compiled: Compiled | undefined
  let opened: ReturnType<Core['open']> | undefined

  const build = (): Compiled => {
    if (compiled !== undefined) return compiled
    compiled = compile(routes, settings, enabled)
    for (const warning of compiled.table.warnings) {
      settings.logger.warn(warning, 'A definition deserves a look')
    }
    return compiled
  }
  return {
    settings,
    routes,
    lifecycle,
    build,
    enabled: () => enabled,
    enableVersioning: (scheme, schemeOptions) => {
      if (opened !== undefined) {
        throw new Error(
          'enableVersioning: the application is ready already; call it before the first request',
        )
      }
      enabled = enable(scheme, schemeOptions)
      compiled = undefined
    },
    open: () => {
      if (opened !== undefined) return opened
      const dispatch = lifecycle.counted(build().dispatch)
      opened = { dispatch, handler: createNodeHandler(dispatch, lifecycle.isClosing) }
      return opened
    },
  }
}

/** Applies a scheme's options; without any, every option has its default. */
function enable<O extends object>(scheme: VersioningScheme<O>, options?: O & VersioningOptions): Enabled {
  // the options of a scheme are all optional
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return toEnabled(scheme, options ?? ({} as O & VersioningOptions))
}
