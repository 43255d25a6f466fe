import { createEdgeApp } from 'octavo/edge'

import { CarsModule } from '../../http/apps/octavo.ts'
import { serveFetch } from '../serve.ts'
import type { Serve } from '../serve.ts'

/** As the guide shows it; `logger: false` beside frameworks that log no requests unless they are told to. */
export const serve: Serve = () => serveFetch(createEdgeApp(CarsModule, { logger: false }).fetch)
