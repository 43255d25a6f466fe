export {
  checkHistory,
  type CheckHistoryOptions,
  type HistoryFinding,
} from '../changes/check/check-history.ts'
export {
  createTestClient,
  type SendTestRequest,
  type TestClient,
  type TestClientOptions,
  type TestRequest,
} from './client.ts'
export type { CookieJar } from './cookie-jar.ts'
export { forEachVersion } from './for-each-version.ts'

export { assertCompatible } from './assert-compatible.ts'
export { compareDocuments, type CompareOptions } from '../gate/compare-documents.ts'
export type { Comparison, DocumentPlace, Finding, FindingPlace, Severity } from '../gate/finding.ts'
export { goldens, type Goldens, type GoldensOptions } from './goldens/goldens.ts'
export type { GoldenBody, GoldenRequest } from './goldens/exchange.ts'
