/** The fields of a source. */
export type Values = Readonly<Record<string, unknown>>

/** What a call gives, as far as its types were kept. */
export interface CallValues {
  readonly params?: Values
  readonly query?: Values
  readonly headers?: Values
  readonly cookies?: Values
  readonly body?: unknown
  readonly form?: Values
  readonly files?: Values
  readonly method?: string
}
