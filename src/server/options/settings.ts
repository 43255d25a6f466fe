import type { Layers } from '../../define/layers.ts'
import type { Logger } from '../../define/context.ts'
import {
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  type AppOptions,
  type ConfigOptions,
  type Limits,
  type Timeouts,
} from './app-options.ts'
import { createErrorWriter, type WriteError } from './error-writer.ts'
import { toPrefix } from './prefix.ts'
import type { Prefix } from '../../router/path/pattern.ts'
import { isTrustList, toTrust, type Trust } from '../request/trust.ts'
import { checkHosts } from '../request/host.ts'
import { createLogger, toSafeLogger } from '../logging/logger.ts'
import type { AppStores } from '../../define/store.ts'
import { createAppStores } from '../stores/app-stores.ts'
import type { OpenOutputs } from '../logging/outputs.ts'

/** The options that an application keeps as they are, and those that have a default. */
type KeptOptions = Pick<
  AppOptions,
  'addressHeader' | 'errorFormat' | 'session' | 'store' | 'health' | 'docs' | 'telemetry' | 'client' | 'usage'
> &
  Required<Pick<AppOptions, 'trailingSlash' | 'bodyLimit' | 'validateResponses' | 'uploads' | 'overrides'>>

/** The settings of an application. */
export interface Settings extends KeptOptions {
  readonly prefix: Prefix
  readonly trustProxy: Trust
  /** The logger that users see. */
  readonly logger: Logger
  /** The same logger for Octavo itself: it never throws. */
  readonly log: Logger
  /** Writes errors in the format of the application. */
  readonly writeError: WriteError
  readonly timeouts: Required<Timeouts>
  readonly limits: Required<Limits>
  /** Whether every request is worth a line. */
  readonly logsRequests: boolean
  readonly config: ConfigOptions
  readonly layers: Layers
  readonly stores: AppStores
}

/** The settings that a request is refused by before it reaches the application. */
export type RefusalSettings = Pick<Settings, 'limits' | 'writeError'>

export type ServerSettings = RefusalSettings & Pick<Settings, 'log' | 'timeouts'>

/** Reads the options of `createApp`, without problems as they are. */
export function toSettings(options: Omit<AppOptions, 'versioning'>, openOutputs: OpenOutputs): Settings {
  const { telemetry, trustProxy = false } = options
  const plain = createLogger(options.logger, openOutputs)
  const logger = telemetry?.logger?.(plain) ?? plain
  return {
    ...options,
    trailingSlash: options.trailingSlash ?? 'ignore',
    bodyLimit: options.bodyLimit ?? 1_048_576,
    validateResponses: options.validateResponses ?? true,
    uploads: options.uploads ?? {},
    overrides: options.overrides ?? [],
    prefix: toPrefix(options.prefix),
    trustProxy: isTrustList(trustProxy) ? toTrust([trustProxy].flat()) : trustProxy,
    logger,
    log: options.logger ? toSafeLogger(logger) : logger,
    writeError: createErrorWriter(options.errorFormat, logger),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    logsRequests: options.logger !== false,
    config: options,
    layers: globalLayers(options),
    stores: createAppStores(options.store),
  }
}

function globalLayers(options: Omit<AppOptions, 'versioning'>): Layers {
  const { guards = [], interceptors = [], errorHandlers = [], middleware = [], allowedHosts } = options
  const own = allowedHosts === undefined ? [] : [checkHosts(allowedHosts)]
  return { guards, interceptors, errorHandlers, middleware: [...own, ...middleware] }
}
