import { derive, model } from 'octavo/changes'
import { z } from 'zod'

// The newest shapes: all that handlers and tests know.

export const Address = model('Address', { street: z.string().min(1), city: z.string().min(1) })
export type Address = z.output<typeof Address>

export const User = model('User', {
  id: z.string().regex(/^user_[1-9]\d*$/),
  firstName: z.string().min(1),
  lastName: z.string(),
  status: z.enum(['active', 'paused', 'closed']),
  addresses: z.array(Address),
  createdAt: z.date(),
})
export type User = z.output<typeof User>

/** The path of one user. */
export const UserPath = derive(User, (user) => user.pick({ id: true }))

export const NewUser = derive(User, (user) => user.pick({ firstName: true, lastName: true, addresses: true }))
export type NewUser = z.output<typeof NewUser>

export const UserPatch = derive(User, (user) => user.omit({ id: true, createdAt: true }).partial())
export type UserPatch = z.output<typeof UserPatch>

/** The query of a page. */
export const UserQuery = derive(User, (user) =>
  user
    .pick({ status: true })
    .partial()
    .extend({
      limit: z.number().int().min(1).max(100).default(20),
      offset: z.number().int().min(0).default(0),
    }),
)

export const UserPage = z.object({ items: z.array(User), next: z.number().nullable() })
export type UserPage = z.output<typeof UserPage>
