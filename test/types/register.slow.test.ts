import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { COMPILER } from '../support/octavo.ts'
import { installPackage } from '../support/package.ts'

const ROOT = join(import.meta.dirname, '../..')

// a program of its own, for what it declares would count in every file of this one
const PROGRAM = `
import { Config, createApp, defineController, defineGuard, defineModule, defineProvider, defineRouter, Session } from 'octavo'
import type { ExecutionContext, Guard, Handler, Register } from 'octavo'
import { z } from 'zod'

const sessionSchema = z.object({ user: z.string().optional(), cart: z.array(z.number()).default([]) })
const configSchema = z.object({ port: z.coerce.number() })

declare module 'octavo' {
  interface Register {
    session: z.output<typeof sessionSchema>
    config: z.output<typeof configSchema>
    identity: User
  }
}

interface User {
  readonly name: string
}
interface Partner {
  readonly partner: string
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(_same: Same<A, B>): void => undefined

const controller = defineController({
  prefix: '/',
  inject: { session: Session, config: Config },
  routes: [
    {
      method: 'GET',
      handler: async ({ inject: { session, config } }, context) => {
        isSame<typeof session.data, { user?: string | undefined; cart: number[] }>(true)
        isSame<typeof config.port, number>(true)
        isSame<Config, Register['config']>(true)
        isSame<Awaited<ReturnType<typeof context.resolve<Session>>>, Session>(true)
        const port: number = (await context.resolve(Config)).port
        session.data.cart.push(port)
        // @ts-expect-error no such field
        session.data.nothing = 1
        // @ts-expect-error another type
        session.data.user = 1
        // @ts-expect-error no such setting
        return config.nothing
      },
    },
  ],
})
const provider = defineProvider({
  name: 'port',
  inject: { config: Config },
  create: ({ config }) => {
    isSame<typeof config.port, number>(true)
    return config.port
  },
})
const plain = defineGuard({
  name: 'plain',
  canActivate: (context) => {
    // @ts-expect-error it runs before the guards that identify clients
    return context.identity?.name !== ''
  },
})
declare const user: Guard<User>
declare const partner: Guard<Partner>
declare const untold: Guard<unknown>
const see = (_context: ExecutionContext): void => undefined
const away: Handler = (_input, { identity }) => isSame<typeof identity, User>(true)
const guarded = defineController({
  prefix: '/guarded',
  routes: [
    {
      method: 'GET',
      handler: (_input, context) => {
        isSame<typeof context.identity, User>(true)
        see(context)
      },
    },
    { method: 'GET', path: '/away', handler: away },
    { method: 'GET', path: '/plain', guards: [plain], handler: (_, { identity }) => isSame<typeof identity, User>(true) },
    { method: 'GET', path: '/own', guards: [partner], handler: (_, { identity }) => isSame<typeof identity, Partner>(true) },
    { method: 'GET', path: '/untold', guards: [untold], handler: (_, { identity }) => isSame<typeof identity, unknown>(true) },
    {
      method: 'GET',
      path: '/open',
      withoutGuards: [user],
      handler: (_input, context) => {
        isSame<typeof context.identity, unknown>(true)
        see(context)
      },
    },
    {
      method: 'GET',
      path: '/wrong',
      // @ts-expect-error no such field
      handler: (_input, { identity }) => identity.partner,
    },
  ],
})
const partners = defineController({
  prefix: '/partners',
  guards: [partner],
  routes: [
    {
      method: 'GET',
      handler: (_input, context) => {
        isSame<typeof context.identity, Partner>(true)
        see(context)
      },
    },
  ],
})
const router = defineRouter({
  prefix: '/router',
  guards: [plain],
  routes: [{ method: 'GET', handler: (_input, { identity }) => isSame<typeof identity, User>(true) }],
})
createApp(defineModule({ controllers: [controller, guarded, partners], routers: [router], providers: [provider], guards: [user] }), {
  session: { secret: 'x'.repeat(32), schema: sessionSchema },
  configSchema,
})
`

describe('Register', () => {
  const temporary = join(import.meta.dirname, '.tmp')
  mkdirSync(temporary, { recursive: true })
  const folder = mkdtempSync(join(temporary, 'register-'))
  after(() => rmSync(folder, { recursive: true }))

  it('types Session, Config and identities', async () => {
    // a package of its own, so that the name means the built one and not the one around it
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'program', type: 'module' }))
    await installPackage(folder)
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { skipLibCheck: false, types: ['node'], customConditions: [] },
      include: [],
      files: ['program.ts'],
    }
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const [tsc, ...options] = COMPILER
    const { stdout } = spawnSync(tsc, [...options, '-p', folder], { cwd: ROOT, encoding: 'utf8' })
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.includes('node_modules/@types'))
    assert.deepEqual(lines, [])
  })
})
