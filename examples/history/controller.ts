import { defineController, sse } from 'octavo'

import { Address, NewUser, User, UserPage, UserPatch, UserPath, UserQuery } from './models.ts'
import { UserNotFound, Users } from './users.ts'

export const userController = defineController({
  name: 'UserController',
  prefix: '/users',
  inject: { users: Users },
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: UserQuery },
      response: UserPage,
      handler: ({ query, inject: { users } }) => users.list(query),
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: NewUser },
      response: { 201: User },
      handler: ({ body, inject: { users } }) => users.create(body),
    },
    {
      method: 'GET',
      path: '/{id}',
      name: 'find',
      input: { params: UserPath },
      response: User,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) => users.find(params.id),
    },
    {
      method: 'PATCH',
      path: '/{id}',
      name: 'patch',
      input: { params: UserPath, body: UserPatch },
      response: User,
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) => users.patch(params.id, body),
    },
    {
      method: 'POST',
      path: '/{id}/addresses',
      name: 'move',
      input: { params: UserPath, body: Address },
      response: { 201: User },
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) => users.move(params.id, body),
    },

    // removed by the third release, which patches the status: the handler speaks the newest models all the same
    {
      method: 'POST',
      path: '/{id}/close',
      name: 'close',
      version: '<3',
      status: 200,
      input: { params: UserPath },
      response: User,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) => users.patch(params.id, { status: 'closed' }),
    },
    {
      method: 'GET',
      path: '/feed',
      name: 'feed',
      events: { user: User },
      handler: ({ inject: { users } }) =>
        sse(function* ({ lastEventId }) {
          for (const { id, user } of users.eventsSince(Number(lastEventId ?? 0)))
            yield { id: String(id), event: 'user', data: user }
        }),
    },
  ],
})
