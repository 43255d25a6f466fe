/* What `app.inject` loads when it is first called. */
export { inject } from './inject.ts'
export { toInjectOptions, toInjectRequest } from './request.ts'
export { injectStream } from './stream.ts'
