export { createTestClient } from './client.ts'
export type { TestClient, TestClientOptions, TestRequest } from './client.ts'
export type { CookieJar, KeptCookie } from './cookie-jar.ts'
