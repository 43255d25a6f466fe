import type { Layers } from '../../define/layers.ts'
import type { Logger } from '../../define/context.ts'
import type { ErrorFormat, WriteError } from '../../define/error-format.ts'
import type { Binding } from '../../define/provider.ts'
import { toProblem } from '../../http/errors.ts'
import { wantZod } from '../../schema/schema.ts'
import type { UploadLimits } from '../../schema/uploads.ts'
import type { SessionOptions } from '../session/options.ts'
import {
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  createErrorWriter,
  type AppOptions,
  type ConfigOptions,
  type Limits,
  type Timeouts,
  type Telemetry,
} from './app-options.ts'
import type { DocsOptions } from './docs.ts'
import type { HealthOptions } from './health.ts'
import { toPrefix } from './prefix.ts'
import type { UsageOptions } from './usage.ts'
import type { Prefix } from '../../router/path/prefix.ts'
import { isAddresses, toTrust, type Trust } from '../request/trust.ts'
import { checkHosts } from '../request/host.ts'
import { createLogger, toSafeLogger } from '../logging/logger.ts'
import type { OpenOutputs } from '../logging/outputs.ts'

/** The settings of an application. */
export interface Settings {
  readonly prefix: Prefix
  readonly trailingSlash: 'ignore' | 'strict' | 'redirect'
  readonly bodyLimit: number
  readonly trustProxy: Trust
  readonly addressHeader: string | undefined
  readonly validateResponses: boolean | 'strict'
  /** The logger that users see. */
  readonly logger: Logger
  /** The same logger for Octavo itself: it never throws. */
  readonly log: Logger
  /** `undefined` for problem documents. */
  readonly errorFormat: ErrorFormat | undefined
  /** Writes errors in the format of the application. */
  readonly writeError: WriteError
  readonly timeouts: Required<Timeouts>
  readonly limits: Required<Limits>
  readonly uploads: UploadLimits
  /** Whether every request is worth a line. */
  readonly logsRequests: boolean
  readonly session: SessionOptions | undefined
  readonly health: HealthOptions | undefined
  readonly docs: DocsOptions | false | undefined
  readonly telemetry: Telemetry | undefined
  readonly client: AppOptions['client']
  readonly usage: UsageOptions | undefined
  readonly config: ConfigOptions
  readonly layers: Layers
  readonly overrides: readonly Binding[]
}

/** The settings that a request is refused by before it reaches the application. */
export type RefusalSettings = Pick<Settings, 'limits' | 'writeError'>

export type ServerSettings = RefusalSettings & Pick<Settings, 'log' | 'timeouts'>

/** Reads the options of `createApp`, without problems as they are. */
export function toSettings(options: Omit<AppOptions, 'versioning'>, openOutputs: OpenOutputs): Settings {
  const {
    trailingSlash = 'ignore',
    bodyLimit = 1_048_576,
    trustProxy = false,
    validateResponses = true,
  } = options
  const { telemetry } = options
  const plain = createLogger(options.logger, openOutputs)
  const logger = telemetry?.logger?.(plain) ?? plain
  const prefix = toPrefix(options.prefix)
  return {
    prefix,
    trailingSlash,
    bodyLimit,
    trustProxy: isAddresses(trustProxy) ? toTrust([trustProxy].flat()) : trustProxy,
    addressHeader: options.addressHeader,
    validateResponses,
    logger,
    log: options.logger ? toSafeLogger(logger) : logger,
    errorFormat: options.errorFormat,
    writeError: toErrorWriter(options.errorFormat, logger),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    uploads: options.uploads ?? {},
    logsRequests: options.logger !== false,
    session: options.session,
    health: options.health,
    docs: options.docs,
    telemetry,
    client: options.client,
    usage: options.usage,
    config: options,
    layers: toLayers(options),
    overrides: options.overrides ?? [],
  }
}

/** Without a format, errors are problem documents. */
function toErrorWriter(format: ErrorFormat | undefined, logger: Logger): WriteError {
  if (format === undefined) return toProblem
  // its schema validates what it returns
  wantZod()
  return createErrorWriter(format, logger)
}

function toLayers(options: Omit<AppOptions, 'versioning'>): Layers {
  const { guards = [], interceptors = [], errorHandlers = [], middleware = [], allowedHosts } = options
  const own = allowedHosts === undefined ? [] : [checkHosts(allowedHosts)]
  return { guards, interceptors, errorHandlers, middleware: [...own, ...middleware] }
}
