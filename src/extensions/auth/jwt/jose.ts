import { once } from '../../../base/values.ts'

/** Loads jose, which only applications with `jwtAuth` need. @throws `Error` if it is not installed. */
export const loadJose = once(async () => {
  try {
    return await import('jose')
  } catch (cause) {
    throw new Error('jwtAuth: the package jose cannot be loaded. Run npm install jose', { cause })
  }
})
