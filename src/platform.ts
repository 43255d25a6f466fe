/*
 * Questions about the platform that the code runs on. They are asked when something depends on the answer, never while modules load.
 */

/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function isWorkerd(): boolean {
  // Node 20 has no navigator
  return Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'userAgent') === 'Cloudflare-Workers'
}

/** Whether the program runs in production, where mistakes of its author are logged instead of refused. */
export function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production'
}
