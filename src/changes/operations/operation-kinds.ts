import type { OperationOptions } from './operation.ts'

type ResponseMember = keyof NonNullable<OperationOptions['response']>

/** The members of an operation apart from its routes; the members of `response` one by one. */
export type OperationKind =
  | Exclude<keyof OperationOptions, 'route' | 'response'>
  | `response.${ResponseMember}`

/**
 * Every kind of difference that an operation can describe, and whether `octavo check --write` writes it. A kind that is missing here, or a
 * written one without its text (`cli/write/change-text.ts`), fails the type check.
 */
export const OPERATION_KINDS = {
  path: { isWritten: true },
  method: { isWritten: true },
  status: { isWritten: true },
  query: { isWritten: true },
  headers: { isWritten: true },
  cookies: { isWritten: true },
  body: { isWritten: true },
  paged: { isWritten: true },
  'response.headers': { isWritten: true },
  'response.body': { isWritten: true },
  // a difference of the status of plain results is written as `status`
  'response.status': { isWritten: false },
  // what clients read in documents breaks no requests
  summary: { isWritten: false },
  description: { isWritten: false },
  tags: { isWritten: false },
  deprecated: { isWritten: false },
  // documents don't say which guards or errors of the two versions belong together
  withoutGuards: { isWritten: false },
  errors: { isWritten: false },
  // documents don't say which values moved where
  input: { isWritten: false },
} as const satisfies Readonly<Record<OperationKind, { readonly isWritten: boolean }>>

/** A kind that `octavo check --write` writes. */
export type WrittenKind = {
  [K in OperationKind]: (typeof OPERATION_KINDS)[K]['isWritten'] extends true ? K : never
}[OperationKind]
