import type { DefinitionProblem } from '../base/definition-error.ts'
import type { AnyRoute } from '../define/route.ts'
import type { Tokens } from '../define/token.ts'
import { normalizePrefix } from '../router/path/pattern.ts'
import type { LayerStack } from './layer-stack.ts'

/** The levels around a route, as far as `defineRoute` can name them. */
interface Around {
  readonly prefix: string
  readonly inject: Tokens
  readonly layers: LayerStack
}

/** Reports what a route of `defineRoute` needs of its controller and does not find there. */
export function placementProblems(
  { controller = {} }: AnyRoute,
  { prefix, inject, layers }: Around,
): readonly Omit<DefinitionProblem, 'where'>[] {
  const needed = normalizePrefix(controller.prefix ?? '')
  const tokens = Object.entries(controller.inject ?? {}).filter(([key, token]) => inject[key] !== token)
  const guards = (controller.guards ?? []).filter(
    (guard) => !layers.guards.some(({ given }) => given === guard),
  )
  return [
    ...(prefix.endsWith(needed)
      ? []
      : [
          misplaced(
            `the prefix "${needed}", and here it is "${prefix}"`,
            'give defineRoute the prefix of the controller',
          ),
        ]),
    ...tokens.map(([key]) =>
      misplaced(
        `a controller that injects this ${key}`,
        `list ${key} with the same token under inject of the controller`,
      ),
    ),
    ...guards.map(({ name }) =>
      misplaced(
        `the guard ${name}, which no level above lists`,
        `list ${name} under guards of the controller`,
      ),
    ),
  ]
}

function misplaced(what: string, fix: string): Omit<DefinitionProblem, 'where'> {
  return { code: 'misplaced_route', message: `the route is defined for ${what}`, fix }
}
