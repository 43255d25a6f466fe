import { absent, defineVersionChange, defineVersions, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { Address, User, UserPage, UserPatch } from './models.ts'
import { Users } from './users.ts'

export const splitName = defineVersionChange({
  version: '3',
  title: 'Names have two parts',
  description: '`User.name` was split into `firstName` and `lastName`.',
  change: [
    reshape({
      of: User,
      fields: {
        name: { was: z.string().trim().min(1) },
        firstName: { was: absent },
        lastName: { was: absent },
      },
      up: ({ name }) => {
        const [firstName = '', ...rest] = name.split(' ')
        return { firstName, lastName: rest.join(' ') }
      },
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}`.trim() }),
      // a name does not tell where the last one begins
      lossy: ['firstName', 'lastName'],
      examples: [{ old: { name: 'Ann Lee' }, now: { firstName: 'Ann', lastName: 'Lee' } }],
    }),
  ],
})

export const pausedUsers = defineVersionChange({
  version: '3',
  title: 'Users can be paused',
  description: '`paused` is a new status. Older versions show paused users as active ones.',
  change: [
    reshape({
      of: User,
      fields: {
        status: {
          was: z.enum(['active', 'closed']),
          down: (status) => (status === 'paused' ? 'active' : status),
        },
      },
      lossy: ['status'],
    }),
  ],
})

export const uncountedUsers = defineVersionChange({
  version: '3',
  title: 'Users do not count their changes',
  description: '`User.changes` was the number of changes of a user.',
  change: [
    reshape({
      of: User,
      reads: ['id'],
      // nobody could patch it
      not: [UserPatch],
      inject: { users: Users },
      load: (all, { inject: { users } }) => users.counts(all.map(({ id }) => id)),
      fields: { changes: { was: z.int() } },
      down: ({ id }, { loaded }) => ({ changes: loaded.get(id) ?? 0 }),
      examples: [{ old: { changes: 2 }, now: { id: 'user_7' }, loaded: new Map([['user_7', 2]]) }],
    }),
  ],
})

export const movedList = defineVersionChange({
  version: '3',
  title: 'People are called users',
  description: '`GET /people` became `GET /users`.',
  change: [operation({ route: 'user.list', path: { was: '/people' } })],
})

export const textIds = defineVersionChange({
  version: '2',
  title: 'Ids are text',
  description: '`User.id` was a number.',
  change: [
    reshape({
      of: User,
      fields: {
        id: {
          was: z.number().int().min(1),
          up: (id) => `user_${id}`,
          down: (id) => Number(id.slice('user_'.length)),
        },
      },
    }),
  ],
})

export const renamedTown = defineVersionChange({
  version: '2',
  title: 'Towns are called cities',
  description: '`Address.town` was renamed to `city`.',
  change: [reshape({ of: Address, fields: { city: { was: 'town' } } })],
})

export const pagedUsers = defineVersionChange({
  version: '2',
  title: 'Users come in pages',
  description: 'The list of users was an array.',
  change: [
    operation({
      route: 'user.list',
      response: {
        body: { 200: { now: UserPage, was: z.array(User), down: ({ items }: UserPage) => items } },
      },
    }),
  ],
})

export const createdStatus = defineVersionChange({
  version: '2',
  title: 'New users are a 201',
  description: 'Creating a user returned 200.',
  change: [operation({ route: 'user.create', status: { was: 200 } })],
})

export const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User, Address },
  changes: [
    splitName,
    pausedUsers,
    uncountedUsers,
    movedList,
    textIds,
    renamedTown,
    pagedUsers,
    createdStatus,
  ],
})
