/**
 * Where an application keeps the function that makes `routes` and `openapi` work without starting anything: promised modules are waited
 * for, but no provider is made and no hook called. For tools that only read.
 */
export const PREPARE: unique symbol = Symbol.for('octavo.prepare')
