import { defineController, sse } from 'octavo'
import { z } from 'zod'

import { Address, User, UserPath, UserQuery } from '../../../examples/history/models.ts'
import type { UserPatch } from '../../../examples/history/models.ts'
import { UserNotFound, Users } from '../../../examples/history/users.ts'

// The second and the first release, written by hand: schemas, functions between the releases, and routes.

const Status = z.enum(['active', 'closed'])
const Name = z.string().trim().min(1)

const { id: SecondId, firstName: _first, lastName: _last, ...others } = User.shape
const SecondUser = z.object({ id: SecondId, name: Name, ...others, status: Status, changes: z.int() })
type SecondUser = z.output<typeof SecondUser>
const SecondNewUser = SecondUser.pick({ name: true, addresses: true })
const SecondPatch = SecondUser.pick({ name: true, status: true, addresses: true }).partial()
type SecondPatch = z.output<typeof SecondPatch>
const SecondQuery = UserQuery.extend({ status: Status.optional() })
const SecondPage = z.object({ items: z.array(SecondUser), next: z.number().nullable() })

const FirstAddress = z.object({ street: Address.shape.street, town: Address.shape.city })
type FirstAddress = z.output<typeof FirstAddress>
const FirstId = z.number().int().min(1)
const FirstPath = z.object({ id: FirstId })
const FirstUser = SecondUser.extend({ id: FirstId, addresses: z.array(FirstAddress) })
type FirstUser = z.output<typeof FirstUser>
const FirstNewUser = FirstUser.pick({ name: true, addresses: true })
const FirstPatch = FirstUser.pick({ name: true, status: true, addresses: true }).partial()
type FirstPatch = z.output<typeof FirstPatch>

/** The store, which knows how often users changed. */
interface Counts {
  readonly counts: (ids: readonly string[]) => ReadonlyMap<string, number>
}

function toSecond({ firstName, lastName, ...rest }: User, { counts }: Counts): SecondUser {
  const status = rest.status === 'paused' ? 'active' : rest.status
  const changes = counts([rest.id]).get(rest.id) ?? 0
  return { ...rest, status, name: `${firstName} ${lastName}`.trim(), changes }
}

function fromName(name: string): Pick<User, 'firstName' | 'lastName'> {
  const [firstName = '', ...rest] = name.split(' ')
  return { firstName, lastName: rest.join(' ') }
}

function fromSecondPatch({ name, ...rest }: SecondPatch): UserPatch {
  return { ...rest, ...(name === undefined ? {} : fromName(name)) }
}

function toFirst(user: SecondUser): FirstUser {
  const id = Number(user.id.slice('user_'.length))
  return { ...user, id, addresses: user.addresses.map(toFirstAddress) }
}

function toFirstAddress({ street, city }: Address): FirstAddress {
  return { street, town: city }
}

function fromFirstAddress({ street, town }: FirstAddress): Address {
  return { street, city: town }
}

function fromFirstId(id: number): string {
  return `user_${id}`
}

function fromFirstPatch({ addresses, ...rest }: FirstPatch): SecondPatch {
  return { ...rest, ...(addresses === undefined ? {} : { addresses: addresses.map(fromFirstAddress) }) }
}

const fromThird = (user: User, users: Counts): FirstUser => toFirst(toSecond(user, users))

export const secondController = defineController({
  name: 'UserController',
  prefix: '/',
  version: '2',
  inject: { users: Users },
  routes: [
    {
      method: 'GET',
      path: '/people',
      name: 'list',
      input: { query: SecondQuery },
      response: SecondPage,
      handler: ({ query, inject: { users } }) => {
        const { items, next } = users.list(query)
        return { items: items.map((user) => toSecond(user, users)), next }
      },
    },
    {
      method: 'POST',
      path: '/users',
      name: 'create',
      input: { body: SecondNewUser },
      response: { 201: SecondUser },
      handler: ({ body: { name, addresses }, inject: { users } }) =>
        toSecond(users.create({ ...fromName(name), addresses }), users),
    },
    {
      method: 'GET',
      path: '/users/{id}',
      name: 'find',
      input: { params: UserPath },
      response: SecondUser,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) => toSecond(users.find(params.id), users),
    },
    {
      method: 'PATCH',
      path: '/users/{id}',
      name: 'patch',
      input: { params: UserPath, body: SecondPatch },
      response: SecondUser,
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) =>
        toSecond(users.patch(params.id, fromSecondPatch(body)), users),
    },
    {
      method: 'POST',
      path: '/users/{id}/addresses',
      name: 'move',
      input: { params: UserPath, body: Address },
      response: { 201: SecondUser },
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) => toSecond(users.move(params.id, body), users),
    },
    {
      method: 'POST',
      path: '/users/{id}/close',
      name: 'close',
      status: 200,
      input: { params: UserPath },
      response: SecondUser,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) =>
        toSecond(users.patch(params.id, { status: 'closed' }), users),
    },
    {
      method: 'GET',
      path: '/users/feed',
      name: 'feed',
      events: { user: SecondUser },
      handler: ({ inject: { users } }) =>
        sse(function* ({ lastEventId }) {
          for (const { id, user } of users.eventsSince(Number(lastEventId ?? 0)))
            yield { id: String(id), event: 'user', data: toSecond(user, users) }
        }),
    },
  ],
})

export const firstController = defineController({
  name: 'UserController',
  prefix: '/',
  version: '1',
  inject: { users: Users },
  routes: [
    {
      method: 'GET',
      path: '/people',
      name: 'list',
      input: { query: SecondQuery },
      response: z.array(FirstUser),
      handler: ({ query, inject: { users } }) => {
        const { items } = users.list(query)
        return items.map((user) => fromThird(user, users))
      },
    },
    {
      method: 'POST',
      path: '/users',
      name: 'create',
      status: 200,
      input: { body: FirstNewUser },
      response: FirstUser,
      handler: ({ body: { name, addresses }, inject: { users } }) =>
        fromThird(users.create({ ...fromName(name), addresses: addresses.map(fromFirstAddress) }), users),
    },
    {
      method: 'GET',
      path: '/users/{id}',
      name: 'find',
      input: { params: FirstPath },
      response: FirstUser,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) => fromThird(users.find(fromFirstId(params.id)), users),
    },
    {
      method: 'PATCH',
      path: '/users/{id}',
      name: 'patch',
      input: { params: FirstPath, body: FirstPatch },
      response: FirstUser,
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) =>
        fromThird(users.patch(fromFirstId(params.id), fromSecondPatch(fromFirstPatch(body))), users),
    },
    {
      method: 'POST',
      path: '/users/{id}/addresses',
      name: 'move',
      input: { params: FirstPath, body: FirstAddress },
      response: { 201: FirstUser },
      problems: [UserNotFound],
      handler: ({ params, body, inject: { users } }) =>
        fromThird(users.move(fromFirstId(params.id), fromFirstAddress(body)), users),
    },
    {
      method: 'POST',
      path: '/users/{id}/close',
      name: 'close',
      status: 200,
      input: { params: FirstPath },
      response: FirstUser,
      problems: [UserNotFound],
      handler: ({ params, inject: { users } }) =>
        fromThird(users.patch(fromFirstId(params.id), { status: 'closed' }), users),
    },
    {
      method: 'GET',
      path: '/users/feed',
      name: 'feed',
      events: { user: FirstUser },
      handler: ({ inject: { users } }) =>
        sse(function* ({ lastEventId }) {
          for (const { id, user } of users.eventsSince(Number(lastEventId ?? 0)))
            yield { id: String(id), event: 'user', data: fromThird(user, users) }
        }),
    },
  ],
})
