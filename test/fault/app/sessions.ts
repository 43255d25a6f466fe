import { defineController, Session } from 'octavo'
import type { Store } from 'octavo'

export const sessions = defineController({
  prefix: '/session',
  inject: { session: Session },
  routes: [
    {
      method: 'GET',
      handler: ({ inject: { session } }) => ({ keys: Object.keys(session.data) }),
    },
    {
      method: ['GET', 'POST'],
      path: '/new',
      handler: async ({ inject: { session } }) => {
        Object.assign(session.data, { visits: 1 })
        await session.regenerate()
        return { visits: 1 }
      },
    },
    {
      method: 'GET',
      path: '/end',
      handler: async ({ inject: { session } }) => {
        await session.destroy()
      },
    },
  ],
})

/** A store that keeps the latest hundred sessions, so that it has no part in how memory grows. */
export function createSmallStore(): Store {
  const entries = new Map<string, string>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > 100 && oldest !== undefined) entries.delete(oldest)
      return true
    },
    delete: (key) => entries.delete(key),
  }
}
