import { createLate } from '../../base/async.ts'
import type { OptionalCode } from './optional-code.ts'

/** The code of an application that loads what its definitions and options need when it gets ready. */
export function createLateCode(): OptionalCode {
  return {
    schemas: createLate(() => import('../../schema/route-schemas.ts')),
    versions: createLate(() => import('../routing/versioned/versioned.ts')),
    routes: createLate(() => import('./route-code.ts')),
    container: createLate(() => import('./container-code.ts')),
    options: createLate(() => import('./option-code.ts')),
  }
}
