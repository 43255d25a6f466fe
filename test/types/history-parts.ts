/** Parts of models in older versions: fields that existed only then, and partial bodies. */
import { expectTypeOf } from 'expect-type'
import { absent, defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import type { InAt, StateOf } from 'octavo/changes'
import { z } from 'zod'

const User = model('User', {
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  status: z.enum(['active', 'paused']),
})
const Path = derive(User, (user) => user.pick({ id: true }))
const NewUser = derive(User, (user) => user.omit({ id: true }))
const NewState = derive(NewUser, (user) => user.pick({ status: true }))
const UserPatch = derive(NewUser, (user) => user.partial())
const Filter = derive(User, (user) =>
  user
    .pick({ status: true })
    .partial()
    .extend({ limit: z.number().default(20) }),
)
const splitName = defineVersionChange({
  version: '2',
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
const pause = defineVersionChange({
  version: '2',
  title: 'Users can be paused',
  change: [
    reshape({
      of: User,
      fields: {
        status: { was: z.enum(['active']), down: () => 'active' as const },
        note: { was: z.string() },
      },
      down: () => ({ note: '' }),
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [splitName, pause] })
type First = StateOf<typeof history, '1'>

expectTypeOf<InAt<typeof User, First>>().toEqualTypeOf<{
  id: string
  status: 'active'
  name: string
  note: string
}>()
// a name needs both of its parts, and a note fields that were not picked
expectTypeOf<InAt<typeof Path, First>>().toEqualTypeOf<{ id: string }>()
expectTypeOf<InAt<typeof NewUser, First>>().toEqualTypeOf<{
  status: 'active'
  name: string
  note: string
}>()
expectTypeOf<InAt<typeof UserPatch, First>>().toEqualTypeOf<{
  status?: 'active' | undefined
  name?: string | undefined
  note?: string | undefined
}>()
expectTypeOf<InAt<typeof NewState, First>>().toEqualTypeOf<{ status: 'active' }>()
expectTypeOf<InAt<typeof Filter, First>>().toEqualTypeOf<{
  status?: 'active' | undefined
  limit?: number | undefined
}>()

const version: '1' | '2' | undefined = history.versions.find(() => true)
const ann = { id: '7', firstName: 'Ann', lastName: 'Lee', status: 'active' } as const
const user = history.migrate(User, ann, { to: version, from: undefined })
expectTypeOf<keyof typeof user>().toEqualTypeOf<'id' | 'status'>()

// a model is an object schema like any other
expectTypeOf(User).toExtend<z.ZodObject>()

const Ruled = model('Ruled', { zip: z.string().max(5), size: z.string().default('M') })
reshape({
  of: Ruled,
  fields: { zip: { was: z.string(), accepted: true }, size: { was: z.string(), accepted: true } },
})
// @ts-expect-error another type needs up
reshape({ of: Ruled, fields: { zip: { was: z.number(), down: Number, accepted: true } } })
// @ts-expect-error the handler does not know that it may be absent
reshape({ of: Ruled, fields: { size: { was: z.string().optional(), accepted: true } } })
