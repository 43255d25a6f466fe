import { defineController, sse } from 'octavo'

import {
  Address,
  NewUser,
  User,
  UserPage,
  UserPatch,
  UserPath,
  UserQuery,
} from '../../../examples/history/models.ts'
import { UserNotFound, Users } from '../../../examples/history/users.ts'

/** The third release, as it is written without versions. */
export const thirdController = defineController({
  name: 'UserController',
  prefix: '/users',
  version: '3',
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
