import { createApp, defineController, defineModule, DefinitionError } from 'octavo'
import type { App, AppOptions, DefinitionProblem, DefinitionWarning, RoutePolicy, VersionSpec } from 'octavo'

import { serve } from './support.ts'
import { placeless } from '../support/places.ts'

/** The mistakes that `ready` reports. */
export async function mistakes(app: App): Promise<readonly DefinitionProblem[]> {
  try {
    await app.ready()
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return placeless(error.errors)
    throw error
  }
}

/** Keeps what is warned of. */
export function createWarnings(): { readonly logger: AppOptions['logger']; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const silent = (): void => undefined
  const warn = (details: object): void => void seen.push(details)
  return { seen, logger: { debug: silent, info: silent, error: silent, warn } }
}

/** What an application of `serve` warns of. */
export async function warnings<O extends object>(
  ...[rows, scheme, options, appOptions]: Parameters<typeof serve<O>>
): Promise<readonly DefinitionWarning[]> {
  const { logger, seen } = createWarnings()
  await serve(rows, scheme, options, { ...appOptions, ...(logger === undefined ? {} : { logger }) }).ready()
  return placeless(seen as readonly DefinitionWarning[])
}

/** A route `GET /x` of the controller `api` with policies; it is called `r`. */
export interface Told {
  readonly version?: VersionSpec
  readonly route?: RoutePolicy
  readonly controller?: RoutePolicy
  readonly module?: RoutePolicy
}

/** An application of one route with policies on its levels. */
export function tell({ version, route, controller, module }: Told): App {
  const controllers = [
    defineController({
      name: 'api',
      prefix: '',
      ...(controller === undefined ? {} : { policy: controller }),
      routes: [
        {
          method: 'GET',
          path: '/x',
          name: 'r',
          ...(version === undefined ? {} : { version }),
          ...(route === undefined ? {} : { policy: route }),
          handler: () => 'done',
        },
      ],
    }),
  ]
  return createApp(
    defineModule({ name: 'AppModule', controllers, ...(module === undefined ? {} : { policy: module }) }),
    { logger: false },
  )
}
