// The public types of octavo/testing. npm run api writes this file, and nothing imports it.

export interface CheckHistoryOptions {
  readonly runs?: number
  readonly seed?: number
}

export interface CompareOptions {
  readonly closedClients?: boolean
  readonly closedEnums?: boolean
  readonly now?: Date
}

export interface Comparison {
  readonly findings: readonly Finding[]
  readonly level: Severity
}

export interface CookieJar {
  clear(): void
  delete(name: string): void
  get(name: string): string | undefined
  set(name: string, value: string): void
}

export interface DocumentPlace {
  readonly pointer: string
}

export interface Finding {
  readonly at: string
  readonly base: DocumentPlace
  readonly level: Severity
  readonly message: string
  readonly operation: string
  readonly places: readonly FindingPlace[]
  readonly revision: DocumentPlace
  readonly route?: string
  readonly rule: string
  readonly schema?: string
}

export interface FindingPlace {
  readonly at: string
  readonly level?: Severity
  readonly operation: string
  readonly route?: string
}

export type GoldenBody = string | Readonly<Record<'base64', string>>

export interface GoldenRequest {
  readonly body?: GoldenBody
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly method: string
  readonly protocol?: 'https'
  readonly remoteAddress?: string
  readonly url: string
}

export interface Goldens {
  replay(): Promise<void>
  save(): Promise<readonly string[]>
}

export interface GoldensOptions {
  readonly dir: string | URL
  readonly ignore?: readonly string[]
  readonly mask?: readonly string[]
  readonly prepare?: (request: GoldenRequest) => Awaitable<GoldenRequest>
  readonly update?: boolean
}

export interface HistoryFinding {
  readonly at: string | undefined
  readonly change: string
  readonly code:
    | 'lost'
    | 'narrower'
    | 'unfit'
    | 'failed'
    | 'wrong_example'
    | 'unknown_field'
    | 'one_page'
    | 'unchecked'
  readonly fields: readonly string[]
  readonly fix: string
  readonly message: string
  readonly model: string
}

export type SendTestRequest = (url: string | URL, options?: TestRequest) => Promise<InjectResponse>

export type Severity = 'none' | 'info' | 'warning' | 'breaking'

export interface TestClient {
  readonly cookies: CookieJar
  readonly delete: SendTestRequest
  readonly get: SendTestRequest
  readonly head: SendTestRequest
  inject(request: InjectStreamOptions): Promise<InjectStream>
  inject<U extends URL>(request: U): Promise<InjectResponse>
  inject(request: string | InjectOptions): Promise<InjectResponse>
  readonly options: SendTestRequest
  readonly patch: SendTestRequest
  readonly post: SendTestRequest
  readonly put: SendTestRequest
  readonly query: SendTestRequest
}

export interface TestClientOptions extends Pick<InjectHeaderOptions, 'headers'> {
  readonly host?: string
  readonly protocol?: 'http' | 'https'
  readonly remoteAddress?: string
  readonly version?: string
}

export type TestRequest = Omit<InjectOptions, 'method' | 'url' | 'stream'>

export function assertCompatible(app: EdgeApp, folder: string, options?: CompareOptions): Promise<void>

export function checkHistory(history: object, options?: CheckHistoryOptions): readonly HistoryFinding[]

export function compareDocuments(base: unknown, revision: unknown, options?: CompareOptions): Comparison

export function createTestClient(app: EdgeApp, options?: TestClientOptions): TestClient

export function forEachVersion<A extends EdgeApp>(
  app: A,
  from: VersionsOf<A>,
  test: (client: TestClient, version: string) => Awaitable<void>,
): Promise<void>

export function goldens(app: EdgeApp, options: GoldensOptions): Goldens
