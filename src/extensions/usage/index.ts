/** The entry point `octavo/usage`: what was counted, for dashboards. */
export type { UsagePeriod } from './by-version.ts'
export { createUsageReport } from './usage-report.ts'
export type { UsageFilter, UsageReport, UsageReportOptions } from './usage-report.ts'
