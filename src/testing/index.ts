export { createTestClient } from './client.ts'
export type { SendTestRequest, TestClient, TestClientOptions, TestRequest } from './client.ts'
export type { CookieJar, KeptCookie } from './cookie-jar.ts'
