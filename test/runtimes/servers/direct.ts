import { createApp } from 'octavo'
import { direct } from 'octavo/engine'

import { AppModule, OPTIONS } from '../app.ts'
import { createTelemetry } from '../telemetry.ts'
import { withClosing } from './with-closing.ts'

// the default logger writes where it listens, and with which engine
await createApp(
  withClosing(AppModule, () => createApp(AppModule, { ...OPTIONS, logger: false })),
  { ...OPTIONS, telemetry: createTelemetry() },
).listen({ port: 0, engine: direct() })
