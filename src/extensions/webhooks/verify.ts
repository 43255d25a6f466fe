import { addedError, type HttpError } from '../../http/errors.ts'
import {
  checkOptions,
  invalidOption,
  missingOptions,
  recordLocation,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import type { ExecutionContext, Logger, Injected, Tokens } from '../../define/context.ts'
import { documenting, type Guard } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { withFits, type FitRoute } from '../../define/interceptor.ts'
import {
  isBoolean,
  isFunction,
  isMilliseconds,
  isObject,
  isRecord,
  isString,
  isNonEmptyString,
  type Awaitable,
} from '../../base/values.ts'
import { toFilesPlan } from '../../schema/files.ts'
import { STORE, type AppStores, type Store } from '../../define/store.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { createWorkerWarning } from '../../server/stores/guard.ts'
import { guardStore, type GuardedStore } from '../../server/stores/guarded-store.ts'
import { openMemory } from '../../server/stores/memory.ts'
import { FORMATS, isSigned, toReplayKey, type SignatureFormat } from './signature.ts'

/** The options of `verifyWebhook`. */
export interface VerifyOptions<D extends Tokens = {}> {
  /**
   * The secret that you share with the sender, or several while one replaces another. A function finds them for each request, such as by an
   * account in the path: if it returns none, the request is refused.
   */
  readonly secrets:
    | string
    | readonly string[]
    | ((
        context: ExecutionContext,
        inject: Injected<D>,
      ) => Awaitable<string | readonly string[] | null | undefined>)
  /** The tokens that the function `secrets` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /** How the sender signs: as Standard Webhooks says, as GitHub or as Stripe. @default 'standard' */
  readonly format?: SignatureFormat
  /** The milliseconds by which the time of a request may differ from yours. GitHub sends no time. @default 300000 */
  readonly tolerance?: number
  /**
   * Remembers allowed requests, so that a repeated request is refused: `true` for the store of the application, or a store.
   *
   * @default false
   */
  readonly replays?: boolean | Store
  /** Names the guard, and the security scheme in documents. @default 'webhook' */
  readonly schemeName?: string
  /** A text about the security scheme for documents. */
  readonly description?: string
}

const WHERE = 'verifyWebhook'

/** A header that belongs to the one of the signature, which is a security scheme. */
const COMPANION = { required: true, description: 'A part of what is signed', schema: { type: 'string' } }

/** Milliseconds after which a replay store that does not answer has failed. */
const STORE_TIMEOUT = 1000

const WORKER =
  'Each worker remembers the requests of webhooks in its own memory, so each one allows a request once: give createApp a store'

/**
 * Creates a guard that allows requests only with the signature of a webhook: of their raw body, by a secret that you share with the
 * sender, made a few minutes ago at the most. Your handler receives the validated body as always.
 *
 * @example
 * const Signed = verifyWebhook({ secrets: settings.webhookSecret })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function verifyWebhook<D extends Tokens = {}>(options: VerifyOptions<D>): Guard {
  checkOptions(
    WHERE,
    options,
    verifierRules(options),
    missingProblems(options),
    "verifyWebhook({ secrets: 'whsec_…' })",
  )
  // each guard remembers its own requests, even with equal options
  const own = { ...options }
  const { format = 'standard', tolerance = 300_000, schemeName = 'webhook', description } = own
  const { secrets, inject, replays = false } = own
  const { header, companions, read } = FORMATS[format]
  const headers = { 'www-authenticate': `Webhook header="${header}"` }
  const refused = (detail: string): HttpError => addedError('invalid_signature', detail, { headers })

  async function canActivate(context: ExecutionContext, injected: Injected<D>): Promise<true> {
    const { request } = context
    const carried = read(request)
    if (carried === undefined)
      throw refused(`The header ${header} is missing or malformed, or one that belongs to it`)
    const found = typeof secrets === 'function' ? await secrets(context, injected) : secrets
    const body = await request.bytes()
    if (!isSigned(carried, body, [found ?? []].flat(), format)) throw refused('The signature is not accepted')
    const { timestamp } = carried
    if (timestamp !== undefined && Math.abs(Date.now() - timestamp * 1000) > tolerance)
      throw refused('The timestamp is too far from the present time')
    // a request may come early or late by the tolerance
    if (replays !== false && !(await isNew(own, toReplayKey(carried, body), 2 * tolerance, context)))
      throw refused('The request was received before')
    return true
  }

  const scheme = {
    type: 'apiKey',
    in: 'header',
    name: header,
    ...(description === undefined ? {} : { description }),
  } as const
  const guard = {
    kind: 'guard',
    name: schemeName,
    inject: inject ?? {},
    security: [{ [schemeName]: scheme }],
    canActivate,
  } as const
  const described = documenting(guard, {
    requestHeaders: companions.map((name) => ({ ...COMPANION, name })),
    problems:
      replays === false ? [] : [ownProblem('ReplaysUnavailable', replaysUnavailable(), 'Try again later')],
  })
  return recordLocation(withFits(described, reportStreams), verifyWebhook)
}

/** Reports routes that read a file while it arrives, because the guard has read the whole body before. */
const reportStreams: FitRoute = (route, problems) => {
  const files = route.sources.find(({ name }) => name === 'files')
  for (const [name, { kind }] of files === undefined ? [] : toFilesPlan(files.schema).fields)
    if (kind === 'stream' || kind === 'streams')
      problems.push({
        code: 'invalid_field',
        where: route.label,
        message: `input.files.${name} is read while it arrives, and verifyWebhook reads the whole body before`,
        fix: `write ${kind === 'stream' ? 'z.file()' : 'z.array(z.file())'} in its place, or remove the guard`,
      })
  return route
}

/** The requests that were allowed in an application. */
interface SeenRequests {
  readonly seen: GuardedStore
  readonly warnInWorker: (log: Logger) => void
}

/** Remembers a request for so many milliseconds. Returns whether it was not allowed before. @throws `HttpError` 503 if the store fails. */
function isNew<D extends Tokens>(
  options: VerifyOptions<D>,
  key: string,
  ttl: number,
  context: ExecutionContext,
): Awaitable<boolean> {
  // guards get no other context
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { seen, warnInWorker } = openSeen(options, (context as RequestContext).stores)
  warnInWorker(context.log)
  return seen.set(`webhook:${key}`, '1', { ttl, ifAbsent: true }, context)
}

/** Opens what a guard remembers in an application, once. */
function openSeen<D extends Tokens>(options: VerifyOptions<D>, stores: AppStores): SeenRequests {
  const { replays } = options
  return stores.of(options, (shared) => {
    const store = isObject(replays) ? replays : shared
    return {
      seen: guardStore(store ?? openMemory({}), {
        name: 'webhooks',
        timeout: STORE_TIMEOUT,
        toError: replaysUnavailable,
      }),
      warnInWorker: store === undefined ? createWorkerWarning(WORKER) : () => undefined,
    }
  })
}

function replaysUnavailable(cause?: unknown): HttpError {
  return addedError('replays_unavailable', 'It cannot be found out whether the request was received before', {
    cause,
  })
}

function verifierRules(options: unknown): Rules {
  const { format = 'standard' }: { format?: unknown } = Object(options)
  const { isSecret, secret } = isFormat(format) ? FORMATS[format] : FORMATS.github
  const isUsable = (value: unknown): boolean => isString(value) && isSecret(value)
  return {
    secrets: [
      (value) =>
        isFunction(value) ||
        (Array.isArray(value) ? value.length > 0 && value.every(isUsable) : isUsable(value)),
      `${secret}, a list of them, or a function`,
    ],
    inject: [isRecord, 'an object of tokens'],
    format: [isFormat, "'standard', 'github' or 'stripe'"],
    tolerance: [isMilliseconds, 'a number of milliseconds'],
    replays: [(value) => isBoolean(value) || STORE[0](value), `true, false or ${STORE[1]}`],
    schemeName: [
      (value) => isString(value) && /^[\w.-]+$/.test(value),
      'a name of letters, digits, ".", "-" and "_"',
    ],
    description: [isNonEmptyString, 'a text'],
  }
}

function isFormat(value: unknown): value is SignatureFormat {
  return isString(value) && Object.hasOwn(FORMATS, value)
}

function missingProblems(options: unknown): readonly DefinitionProblem[] {
  const { format, replays } = Object(options)
  return [
    ...missingOptions(WHERE, options, ['secrets'], 'give the secret that you share with the sender'),
    ...(format === 'github' && Boolean(replays)
      ? [
          invalidOption(
            WHERE,
            'replays is set, and a redelivery of GitHub is the same request as the first one',
            'remove replays, and let your handler ignore a known X-GitHub-Delivery',
          ),
        ]
      : []),
  ]
}
