import { ignoreFailure } from '../../async.ts'
import { createContainer } from '../../container/container.ts'
import type { Container } from '../../container/container.ts'
import type { SettledModules } from '../../flatten/modules.ts'
import type { Token } from '../../define/token.ts'
import { createBuiltIns } from '../pipeline/built-ins.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import type { Materials } from './compile.ts'
import type { Settings } from '../options/settings.ts'
import type { Structure } from './read-definitions.ts'

/** What is made of the definitions, anew when promised modules have come. */
export interface Parts {
  readonly structure: Structure
  readonly container: Container
  readonly builtIns: Materials['builtIns']
}

/** What is made of the definitions, as far as modules are there. */
export interface Definitions {
  readonly parts: () => Parts
  /** @throws `Error` while a module is still a promise. */
  readonly complete: () => Parts
  /** Waits for promised modules. */
  readonly settle: () => Promise<Parts>
  /** Resolves a token, as the root module sees it. */
  readonly resolve: (token: Token<unknown>) => Promise<unknown>
  /** Says what is injected as configuration. */
  readonly configure: (values: ConfigValues) => void
}

/** Reads definitions, and again when promised modules have come. */
export function createDefinitions(
  readSettled: (settled: SettledModules) => Structure,
  settings: Settings,
): Definitions {
  const { config: given } = settings.config
  // settings that are refused are reported when the application gets ready
  ignoreFailure(() => given)
  let config: ConfigValues = { get: () => undefined }
  const read = (settled: SettledModules): Parts => toParts(readSettled(settled), settings, () => config)
  let parts = read(new Map())
  return {
    parts: () => parts,
    complete: () => {
      if (parts.structure.pending.length === 0) return parts
      throw new Error('An imported module is still a promise: call await app.ready() first')
    },
    settle: async () => {
      parts = await withPromised(parts, read)
      return parts
    },
    resolve: (token) => parts.container.resolve(token, parts.structure.root, undefined),
    configure: (values) => {
      config = values
    },
  }
}

function toParts(structure: Structure, { logger }: Settings, config: () => ConfigValues): Parts {
  const { graph, ordered, overrides, pending } = structure
  // a promise that is refused is reported when the application gets ready
  for (const promise of pending) promise.then(undefined, () => undefined)
  const builtIns = createBuiltIns({ log: logger, overrides, config })
  return { structure, builtIns, container: createContainer(graph, ordered, builtIns) }
}

/** Waits for promised modules, and for those that they promise in turn. */
async function withPromised(first: Parts, read: (settled: SettledModules) => Parts): Promise<Parts> {
  const settled = new Map<PromiseLike<unknown>, unknown>()
  let parts = first
  while (parts.structure.pending.length > 0) {
    for (const promise of parts.structure.pending) settled.set(promise, await settle(promise))
    parts = read(settled)
  }
  return parts
}

async function settle(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (cause) {
    throw new Error('A promised module could not be made', { cause })
  }
}
