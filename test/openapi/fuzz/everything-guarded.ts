import { defineController, defineGuard, unauthorized } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth, optional } from 'octavo/auth'
import { z } from 'zod'

/** What is right for each of the guards, by the names of their schemes, as a request carries it. */
export const CREDENTIALS = {
  bearerAuth: 'a-token',
  login: Buffer.from('ann:secret').toString('base64'),
  'header-x-key': 'header-key',
  'query-key': 'query-key',
  'cookie-sid': 'cookie-key',
  ticket: 'a-ticket',
  tokenAuth: 'Token a-token',
} as const

const Bearer = bearerAuth({ verify: (token) => token === CREDENTIALS.bearerAuth && { name: 'ann' } })
const Login = basicAuth({
  schemeName: 'login',
  verify: (user, password) => user === 'ann' && password === 'secret',
})
const key = (place: 'header' | 'query' | 'cookie', name: string) =>
  apiKey({ in: place, name, verify: (value) => value === `${place}-key` })
const InHeader = key('header', 'x-key')
const InQuery = key('query', 'key')
const InCookie = key('cookie', 'sid')
const Ticket = defineGuard({
  name: 'Ticket',
  security: [{ ticket: { type: 'apiKey', in: 'header', name: 'x-ticket' } }],
  canActivate: ({ request }) => {
    if (request.header('x-ticket') !== CREDENTIALS.ticket) throw unauthorized('No ticket')
    return true
  },
})
const Either = anyOf(Bearer, InHeader, InQuery)
const Token = optional(bearerAuth({ scheme: 'Token', verify: (token) => token === 'a-token' }))
const Even = defineGuard({ name: 'Even', canActivate: ({ request }) => /[02468]$/.test(request.path) })

const open = defineController({
  prefix: '/guards',
  name: 'GuardsController',
  routes: [
    {
      method: 'GET',
      path: '/alternatives',
      name: 'alternatives',
      guards: [Either],
      response: z.string(),
      handler: () => 'in',
    },
    {
      method: 'GET',
      path: '/both',
      name: 'both',
      guards: [Ticket, Either],
      response: z.string(),
      handler: () => 'in',
    },
    {
      method: 'GET',
      path: '/optional',
      name: 'optional',
      guards: [Token],
      response: z.string(),
      handler: () => 'in',
    },
    {
      method: 'POST',
      path: '/input',
      name: 'input',
      guards: [InCookie],
      input: {
        body: z.object({ a: z.number() }),
        cookies: { theme: z.string().optional() },
        query: { q: z.string().optional() },
      },
      response: z.object({ a: z.number() }),
      handler: ({ body }) => body,
    },
    {
      method: 'GET',
      path: '/even/{n:int}',
      name: 'even',
      guards: [Even],
      response: z.string(),
      handler: () => 'even',
    },
  ],
})

const closed = defineController({
  name: 'ClosedController',
  guards: [Login],
  routes: [
    { method: 'GET', name: 'closed', response: z.string(), handler: () => 'in' },
    {
      method: 'GET',
      path: '/open',
      name: 'open',
      withoutGuards: [Login],
      response: z.string(),
      handler: () => 'open',
    },
  ],
})

/** One for each guard. */
const single = [Bearer, Login, InHeader, InQuery, InCookie, Ticket].map((guard) =>
  defineController({
    prefix: `/guards/${guard.name.toLowerCase()}`,
    guards: [guard],
    routes: [{ method: 'GET', name: 'enter', response: z.string(), handler: () => 'in' }],
  }),
)

export const guarded = [open, closed, ...single] as const
