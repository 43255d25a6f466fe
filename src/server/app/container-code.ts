import { connect } from '../container/connect.ts'
import type { Connected } from '../container/connected.ts'
import { createContainer } from '../container/container.ts'
import type { Container } from '../container/container.ts'
import type { Use } from '../container/missing.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { Overrides } from '../../routes/overrides.ts'
import type { SessionOptions } from '../session/options.ts'
import { builtInProblems, createBuiltIns } from '../pipeline/built-ins.ts'
import type { BuiltInSources } from '../pipeline/built-ins.ts'

/** What an application provides and injects. */
interface Injecting {
  readonly modules: readonly ModuleNode[]
  readonly overrides: Overrides
  readonly uses: readonly Use[]
  readonly session: SessionOptions | undefined
}

/** Connects what is provided with what is injected. Mistakes are reported. */
export function connectAll(
  { modules, overrides, uses, session }: Injecting,
  problems: DefinitionProblem[],
): Connected {
  const connected = connect(modules, overrides, uses, problems)
  for (const { token, where } of connected.builtIns)
    problems.push(...builtInProblems(token, where, session, overrides))
  return connected
}

/** Creates the container of an application. */
export function openContainer({ graph, ordered }: Connected, sources: BuiltInSources): Container {
  return createContainer(graph, ordered, createBuiltIns(sources))
}
