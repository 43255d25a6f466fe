import { defineProblem, defineProvider, mergePatch } from 'octavo'
import type { z } from 'zod'

import type { Address, NewUser, User, UserPatch, UserQuery } from './models.ts'

/** An entry of the feed. */
export interface UserEvent {
  readonly id: number
  readonly user: User
}

export const UserNotFound = defineProblem({
  code: 'user_not_found',
  status: 404,
  title: 'There is no such user',
})

/** The users, in memory. It knows the newest shapes only. */
export const Users = defineProvider({
  name: 'Users',
  create: () => {
    const users = new Map<string, User>()
    const feed: UserEvent[] = []
    const save = (user: User): User => {
      users.set(user.id, user)
      feed.push({ id: feed.length + 1, user })
      return user
    }
    const find = (id: string): User => {
      const found = users.get(id)
      if (found === undefined) throw UserNotFound()
      return found
    }
    return {
      find,
      list: ({ status, limit, offset }: z.output<typeof UserQuery>) => {
        const found = [...users.values()].filter((user) => status === undefined || user.status === status)
        const end = offset + limit
        return { items: found.slice(offset, end), next: end < found.length ? end : null }
      },
      create: ({ firstName, lastName, addresses }: NewUser) => {
        const id = `user_${users.size + 1}`
        return save({ id, firstName, lastName, status: 'active', addresses, createdAt: new Date() })
      },
      patch: (id: string, patch: UserPatch) => save(mergePatch(find(id), patch)),
      move: (id: string, address: Address) => {
        const user = find(id)
        return save({ ...user, addresses: [address, ...user.addresses] })
      },
      /** The number of changes of each user. */
      counts: (ids: readonly string[]): ReadonlyMap<string, number> =>
        new Map(ids.map((id) => [id, feed.filter(({ user }) => user.id === id).length])),
      eventsSince: (id: number): readonly UserEvent[] => feed.slice(id),
    }
  },
})
