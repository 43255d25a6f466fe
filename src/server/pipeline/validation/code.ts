/** Code that only applications with schemas need, loaded by `load.ts`. */
export { announce } from '../../request/announce.ts'
export { loadMultipart } from '../../request/uploads.ts'
export { bodyTypes, responseTypes } from '../../../schema/body-types.ts'
export { toDeclared } from '../../../schema/declared.ts'
export { createParsers, writeJsonBy } from './response-check.ts'
export { withSources } from './sources.ts'
export { createStreaming } from './stream-items.ts'
