import type * as Undici from 'undici'

import { DefinitionError } from '../../../base/definition-error.ts'
import { once, importInTurn } from '../../../base/values.ts'
import { readRetryAfter } from '../../../http/http.ts'
import { createTargets, WebhookTargetError, type TargetOptions } from './target.ts'

/** Why an attempt has no success, besides the status of its answer. */
export type PostProblem = 'target' | 'redirect' | 'timeout' | 'answer_too_large' | 'network'

/** The outcome of a request. */
export interface Posted {
  /** The status of the answer, or `undefined` if there was none. */
  readonly status: number | undefined
  readonly problem: PostProblem | undefined
  /** Milliseconds that the receiver asks for, or `undefined` if it doesn't. */
  readonly retryAfter: number | undefined
  readonly error: unknown
}

/** Limits of a request. */
export interface PostLimits {
  /** Milliseconds for all of it: resolving the name, connecting, sending, and reading the answer. */
  readonly timeout: number
  /** Bytes of the answer, without its headers. */
  readonly answerLimit: number
}

/** Sends requests. */
export interface Poster {
  /** Loads what sends. @throws `DefinitionError` if undici is not installed. */
  readonly load: () => Promise<unknown>
  /** Sends a POST. It never rejects because of the receiver. @throws `DefinitionError` if undici is not installed. */
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Posted>
  /** Checks a URL. @throws `WebhookTargetError` if nothing is sent there. */
  readonly check: (url: string) => Promise<void>
  /** Closes the connections. */
  readonly close: () => Promise<void>
}

const HEADER_LIMIT = 16_384

/** Creates what sends requests by undici to allowed targets. Neither redirects nor proxies of the environment are followed. */
export function createPoster(options: TargetOptions, { timeout, answerLimit }: PostLimits): Poster {
  const targets = createTargets(options, timeout)
  let agent: Undici.Agent | undefined
  const load = once(async () => {
    const { Agent, request } = await loadUndici()
    agent = new Agent({
      // the connection goes to the address that was checked here, even if the name resolves to another one a moment later
      connect: { timeout, lookup: targets.lookup },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxHeaderSize: HEADER_LIMIT,
    })
    return { request, dispatcher: agent }
  })
  return {
    load,
    post: async (url, headers, body) => {
      const { request, dispatcher } = await load()
      let status: number | undefined
      // the timer of `AbortSignal.timeout` would keep what listens to it in memory for the whole time
      const late = new AbortController()
      const timer = setTimeout(
        () => late.abort(new DOMException('No answer in time', 'TimeoutError')),
        timeout,
      )
      try {
        const { signal } = late
        const answer = await request(targets.read(url), { method: 'POST', headers, body, dispatcher, signal })
        status = answer.statusCode
        const retryAfter = readRetryAfter(answer.headers['retry-after'])
        let size = 0
        for await (const chunk of answer.body) {
          size += Number(Object(chunk).length)
          // leaving the loop closes the connection
          if (size > answerLimit) return { status, problem: 'answer_too_large', retryAfter, error: undefined }
        }
        const problem = status >= 300 && status < 400 ? 'redirect' : undefined
        return { status, problem, retryAfter, error: undefined }
      } catch (error) {
        return { status, problem: toPostProblem(error), retryAfter: undefined, error }
      } finally {
        clearTimeout(timer)
      }
    },
    check: targets.check,
    close: async () => {
      if (agent?.closed === false) await agent.close()
    },
  }
}

async function loadUndici(): Promise<typeof Undici> {
  try {
    // by its name alone, Bun takes an undici of its own, which resolves names by itself and connects to private addresses
    return await importInTurn(() => import('undici/index.js'))
  } catch (cause) {
    throw new DefinitionError(
      [
        {
          code: 'missing_package',
          where: 'createWebhooks',
          message: 'webhooks are sent by undici, and the package undici is not installed',
          fix: 'run "npm install undici"',
        },
      ],
      { cause },
    )
  }
}

function toPostProblem(error: unknown): PostProblem {
  const { name, code }: { readonly name?: unknown; readonly code?: unknown } = Object(error)
  if (error instanceof WebhookTargetError) return 'target'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'answer_too_large'
  return name === 'TimeoutError' || code === 'ETIMEDOUT' || String(code).endsWith('_TIMEOUT')
    ? 'timeout'
    : 'network'
}
