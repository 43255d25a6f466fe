/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function isWorkerd(): boolean {
  // Node 20 has no navigator
  return Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'userAgent') === 'Cloudflare-Workers'
}
