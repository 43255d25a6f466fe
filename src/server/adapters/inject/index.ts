/* What `app.inject` loads when it is first called. */
export { inject, injectStream } from './inject.ts'
export { toInjectOptions, toInjectRequest } from './inject-request.ts'
