/*
 * The application for commands of octavo, which start nothing, so it needs no settings of its own:
 *
 *   octavo routes examples/operations/commands.ts
 *   octavo retire 1 examples/operations/commands.ts --usage usage.json
 */
import { createOrdersApp, release } from './app.ts'

export const app = createOrdersApp(
  {
    redisUrl: 'redis://localhost',
    databaseUrl: 'postgres://localhost',
    sessionSecret: 'no session is created with this secret',
    deskPassword: 'not used',
    clients: 'none=none',
  },
  release,
)
