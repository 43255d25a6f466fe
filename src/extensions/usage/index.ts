/** The entry point `octavo/usage`: what was counted, for dashboards. */
export {
  createUsageReport,
  type UsageFilter,
  type UsageReport,
  type UsageReportOptions,
} from './usage-report.ts'
