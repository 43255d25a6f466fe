// The public types of octavo/usage. npm run api writes this file, and nothing imports it.

export interface UsageFilter {
  readonly client?: string | undefined
  readonly route?: string | undefined
  readonly since?: string | undefined
  readonly version?: string | undefined
}

export interface UsageReport {
  readonly controller: Controller<'usage', string, readonly []>
  read(filter?: UsageFilter): Promise<readonly UsageEntry[]>
}

export interface UsageReportOptions {
  readonly guards: readonly AnyGuard[]
  readonly path?: string
  readonly usage: UsageOptions & Required<Pick<UsageOptions, 'store'>>
}

export function createUsageReport(options: UsageReportOptions): UsageReport
