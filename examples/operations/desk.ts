import { timingSafeEqual } from 'node:crypto'

import {
  bind,
  Config,
  defineController,
  defineGuard,
  defineModule,
  defineToken,
  Session,
  unauthorized,
  VERSION_NEUTRAL,
} from 'octavo'
import type { Pins } from 'octavo/pins'
import { z } from 'zod'

import { history } from './history.ts'
import { Settings } from './settings.ts'

/** What the session of an operator holds. */
export const DeskSession = z.object({ operator: z.string().optional() })

const ClientPins = defineToken<Pins>('ClientPins')

export const SignedIn = defineGuard({
  name: 'SignedIn',
  inject: { session: Session.of(DeskSession) },
  canActivate: (_context, { session }) => {
    if (session.data.operator === undefined) throw unauthorized('Sign in first')
    return true
  },
})

const Operator = z.object({ operator: z.string() })

/** The desk of those who run the API: they sign in, and upgrade the versions of clients. */
const deskController = defineController({
  name: 'DeskController',
  prefix: '/desk',
  version: VERSION_NEUTRAL,
  guards: [SignedIn],
  inject: { session: Session.of(DeskSession), settings: Config.of(Settings), pins: ClientPins },
  routes: [
    {
      method: 'POST',
      path: '/session',
      name: 'signIn',
      withoutGuards: [SignedIn],
      input: { body: Operator.extend({ password: z.string() }) },
      response: Operator,
      handler: async ({ body, inject: { session, settings } }) => {
        if (!isEqual(body.password, settings.deskPassword)) throw unauthorized('The password is wrong')
        await session.regenerate()
        session.data.operator = body.operator
        return { operator: body.operator }
      },
    },
    {
      method: 'GET',
      path: '/session',
      name: 'whoAmI',
      response: Operator.partial(),
      handler: ({ inject: { session } }) => session.data,
    },
    {
      method: 'PUT',
      path: '/clients/{client}/version',
      name: 'upgrade',
      input: { body: z.object({ version: z.enum(history.versions) }) },
      handler: ({ params, body, inject: { pins } }) => pins.upgrade(params.client, body.version),
    },
  ],
})

export const createDeskModule = (pins: Pins) =>
  defineModule({
    name: 'DeskModule',
    providers: [bind(ClientPins, { value: pins })],
    controllers: [deskController],
  })

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
