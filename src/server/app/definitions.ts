import { ignoreFailure, ignoreRejection } from '../../base/async.ts'
import { createLateContainer } from '../container/late-container.ts'
import { UNCONNECTED } from '../container/connected.ts'
import type { Container } from '../container/container.ts'
import type { SettledModules } from '../../routes/modules.ts'
import type { Token } from '../../define/token.ts'
import type { ConfigValues } from '../pipeline/built-ins.ts'
import type { Settings } from '../options/settings.ts'
import { loadMissing, NOT_LOADED } from './optional-code.ts'
import type { OptionalCode } from './optional-code.ts'
import type { Structure } from './read-definitions.ts'

const NOT_IMPORTED = 'An imported module is still a promise: call await app.ready() first'

/** What is made of the definitions, anew when promised modules or missing code have come. */
export interface Parts {
  readonly structure: Structure
  readonly container: Container
}

/** What is made of the definitions, as far as modules and code are there. */
export interface Definitions {
  readonly parts: () => Parts
  /** @throws `Error` while a module is still a promise, or code is missing. */
  readonly complete: () => Parts
  /** Waits for promised modules, and loads missing code. */
  readonly settle: () => Promise<Parts>
  /** Resolves a token, as the root module sees it. */
  readonly resolve: (token: Token<unknown>) => Promise<unknown>
  /** Sets the value that is injected as configuration. */
  readonly configure: (values: ConfigValues) => void
}

/** Reads definitions, and again when promised modules or missing code have come. */
export function createDefinitions(
  readSettled: (settled: SettledModules) => Structure,
  settings: Settings,
  code: OptionalCode,
): Definitions {
  const { config: given } = settings.config
  // settings that are refused are reported when the application gets ready
  ignoreFailure(() => given)
  let config: ConfigValues = { get: () => undefined }
  const read = (settled: SettledModules): Parts => {
    const structure = readSettled(settled)
    // a promise that is refused is reported when the application gets ready
    for (const promise of structure.pending) promise.then(undefined, () => undefined)
    return { structure, container: toContainer(structure, settings, code, () => config) }
  }
  let parts = read(new Map())
  // begins now, so that less is left for the first request; a failure is reported when the application gets ready
  ignoreRejection(loadMissing(code))
  return {
    parts: () => parts,
    complete: () => {
      const { isComplete, pending } = parts.structure
      if (isComplete) return parts
      throw new Error(pending.length > 0 ? NOT_IMPORTED : NOT_LOADED)
    },
    settle: async () => {
      parts = await complete(parts, read, code)
      return parts
    },
    resolve: (token) => parts.container.resolve(token, parts.structure.root, undefined),
    configure: (values) => {
      config = values
    },
  }
}

function toContainer(
  { connected, overrides }: Structure,
  { logger }: Settings,
  { container }: OptionalCode,
  config: () => ConfigValues,
): Container {
  const sources = { log: logger, overrides, config }
  const code = connected === UNCONNECTED ? undefined : container.get()
  return (
    code?.openContainer(connected, sources) ??
    createLateContainer(async () => (await container.load()).openContainer(connected, sources))
  )
}

/** Waits for promised modules, and for those that they promise in turn, and loads the code that they need. */
async function complete(
  first: Parts,
  read: (settled: SettledModules) => Parts,
  code: OptionalCode,
): Promise<Parts> {
  const settled = new Map<PromiseLike<unknown>, unknown>()
  let parts = first
  while (!parts.structure.isComplete) {
    for (const promise of parts.structure.pending) settled.set(promise, await settle(promise))
    await loadMissing(code)
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
