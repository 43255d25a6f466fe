/** A client of an older version is typed by the history. */
import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { absent, defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { z } from 'zod'
const Address = model('Address', { street: z.string(), city: z.string() })
const User = model('User', {
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  addresses: z.array(Address),
})
const CreateUser = derive(User, (user) => user.omit({ id: true }))
const UserPatch = derive(CreateUser, (user) => user.partial())
const splitName = defineVersionChange({
  version: '3',
  title: 'Names have two parts',
  change: [
    reshape({
      of: User,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => ({ firstName: name, lastName: '' }),
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
  ],
})
const stringIds = defineVersionChange({
  version: '2',
  title: 'Ids are text',
  change: [
    reshape({
      of: User,
      fields: { id: { was: z.number(), up: (old) => String(old), down: (now) => Number(now) } },
    }),
    reshape({ of: Address, fields: { city: { was: 'town' } } }),
  ],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User, Address },
  changes: [splitName, stringIds],
})
const Users = defineController({
  name: 'UserController',
  routes: [
    {
      method: 'POST',
      path: '/',
      name: 'create',
      input: { body: CreateUser },
      response: User,
      handler: ({ body }) => ({ ...body, id: '1' }),
    },
    {
      method: 'PATCH',
      path: '/{id}',
      name: 'patch',
      input: { body: UserPatch },
      response: z.object({ items: z.array(User) }),
      handler: () => ({ items: [] }),
    },
    { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 1 },
  ],
})
const app = createApp(defineModule({ controllers: [Users] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
})
export async function use(): Promise<void> {
  const one = createClient<typeof app>({ baseUrl: '' }).at('1')
  const made = await one.user.create({ body: { name: 'Ann', addresses: [{ street: 's', town: 't' }] } })
  expectTypeOf(made.data).toEqualTypeOf<{
    id: number
    addresses: { street: string; town: string }[]
    name: string
  }>()
  const patched = await one.user.patch({ params: { id: '1' }, body: { name: 'x' } })
  expectTypeOf(patched.data.items[0]?.id).toEqualTypeOf<number | undefined>()
  const two = createClient<typeof app, '2'>({ baseUrl: '', version: '2' })
  const second = await two.user.create({ body: { name: 'Ann', addresses: [{ street: 's', city: 't' }] } })
  expectTypeOf(second.data.id).toEqualTypeOf<string>()
  const three = createClient<typeof app>({ baseUrl: '' }).at('3')
  const third = await three.user.create({ body: { firstName: 'A', lastName: 'B', addresses: [] } })
  expectTypeOf(third.data.firstName).toEqualTypeOf<string>()
  // @ts-expect-error the newest names did not exist
  void one.user.create({ body: { firstName: 'A', lastName: 'B', addresses: [] } })
  // @ts-expect-error there is no such version
  createClient<typeof app>({ baseUrl: '' }).at('4')
  // @ts-expect-error the route is of version 1 alone
  void three.user.old()
}
