import { app } from '../../http/apps/h3.ts'
import { serveFetch } from '../serve.ts'
import type { Serve } from '../serve.ts'

/** Its own `serve` defines three properties on every request before it calls the same function, so this is the faster way. */
export const serve: Serve = () => serveFetch((request) => app.fetch(request))
