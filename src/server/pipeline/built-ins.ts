import type { ScopedContext, BuiltIns } from '../container/request-scope.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { Config, Logger, Session, type BuiltIn } from '../../define/context.ts'
import type { Overrides } from '../../routes/modules.ts'
import type { Schema } from '../../schema/schema.ts'
import type { Awaitable } from '../../base/values.ts'
import type { SessionOptions } from '../session/options.ts'

/** A request that can have a session. */
export interface SessionContext extends ScopedContext {
  /** Opened when something first injects it. */
  readonly session: Promise<Session>
}

/** The settings, as each schema reads them; `undefined` stands for the application's own. */
export interface ConfigValues {
  /** A promise only of what no injection names. */
  get(schema: Schema | undefined): Awaitable<unknown>
}

/** The values that the built-in tokens read from. */
export interface BuiltInSources {
  readonly log: Logger
  readonly overrides: Overrides
  /** There from the start of the application on. */
  readonly config: () => ConfigValues
}

type Reader = (context: ScopedContext, token: BuiltIn<unknown>) => Awaitable<unknown>

/** The readers of the built-in tokens of a request; a new one is a new row. */
const OF_REQUEST: Readonly<Record<string, Reader>> = {
  HttpRequest: (context) => context.request,
  HttpResponse: (context) => context.response,
  ExecutionContext: (context) => context,
  ClientAddress: (context) => context.request.ip,
  // every request of an application has one, whatever the container knows of it
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  Session: (context) => (context as SessionContext).session,
}

/** Creates the reader of built-in tokens. */
export function createBuiltIns({ log, overrides, config }: BuiltInSources): BuiltIns {
  const replaced = (token: BuiltIn<unknown>): { readonly value: unknown } | undefined => {
    const to = token.token === Config.token ? undefined : overrides.find(token)
    return to !== undefined && 'value' in to ? { value: to.value } : undefined
  }
  return {
    isAsync: (token) => token.token === Session.token && replaced(token) === undefined,
    read: (token, context) => {
      const override = replaced(token)
      if (override !== undefined) return override.value
      if (token.token === Config.token) return config().get(token.schema)
      if (token.token === Logger.token) return log
      return context === undefined ? undefined : OF_REQUEST[token.token]?.(context, token)
    },
  }
}

/** Reports a built-in token that this application cannot supply. */
export function builtInProblems(
  { token, schema }: BuiltIn<unknown>,
  where: string,
  session: SessionOptions | undefined,
  overrides: Overrides,
): readonly DefinitionProblem[] {
  if (token !== Session.token || overrides.find(Session) !== undefined) return []
  if (session === undefined) {
    return [
      {
        code: 'missing_session',
        where,
        message: 'it injects Session, and the application has no sessions',
        fix: 'give createApp the option session: { secret }',
      },
    ]
  }
  if (schema === undefined || schema === session.schema) return []
  return [
    {
      code: 'missing_session',
      where,
      message: 'it injects Session.of with another schema than the option session',
      fix: 'use the same schema object in both places',
    },
  ]
}
