import { isPromise } from '../../../base/async.ts'
import { openChannel, type Publisher } from '../../../base/platform.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import type { VersioningOptions, VersionResolved } from '../../../versioning/options.ts'
import { statusAt, type Lifetime } from '../../../versioning/policy.ts'
import { cutVersion } from '../../../versioning/cut-version.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import { Channels } from '../../logging/channels.ts'
import { logError } from '../../logging/safe-logger.ts'
import type { VersionMatch } from '../lookup/resolution.ts'

/** Reports to `onVersionResolved` and to the subscribers of `Channels.version` which version answers. */
export interface VersionEvents {
  /** Whether the option `onVersionResolved` is given. */
  readonly hasHook: boolean
  readonly channel: Publisher
  readonly publish: (
    context: RequestContext,
    resolution: VersionMatch,
    endpoint: Endpoint,
    lifetime: Lifetime | undefined,
  ) => void
}

/** Creates the events of an application. */
export function createVersionEvents(versioning: Versioning | undefined): VersionEvents {
  const channel = openChannel(Channels.version)
  const { clock = Date.now, ...common } = versioning?.common ?? {}
  const { onVersionResolved }: Pick<VersioningOptions, 'onVersionResolved'> = common
  return {
    hasHook: onVersionResolved !== undefined,
    channel,
    publish: (context, { version, requested }, { info }, lifetime) => {
      const resolved: VersionResolved = {
        version,
        requested: requested === undefined ? undefined : cutVersion(requested),
        route: info.name,
        method: context.method,
        path: info.path,
        status: statusAt(lifetime, clock()),
        request: context.request,
      }
      if (onVersionResolved !== undefined) callHook(onVersionResolved, resolved, context)
      if (channel.hasSubscribers) channel.publish(resolved)
    },
  }
}

/** Calls the hook, and logs its errors, thrown at once or later, which harm nothing. */
function callHook(
  hook: (resolved: VersionResolved) => unknown,
  resolved: VersionResolved,
  context: RequestContext,
): void {
  const failed = (err: unknown): void => logError(context, { err }, 'onVersionResolved failed')
  try {
    const result = hook(resolved)
    if (isPromise(result)) result.then(undefined, failed)
  } catch (error) {
    failed(error)
  }
}
