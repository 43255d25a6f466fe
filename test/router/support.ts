import { createApp, defineModule } from 'octavo'
import type { App, AppOptions, InjectResponse } from 'octavo'

import { controller } from '../support/untyped.ts'

/** An application with one route for each `METHOD /pattern`, which answers with that text and the values of its parameters. */
export function serve(routes: readonly string[], options: AppOptions = {}): App {
  return createApp(
    defineModule({
      controllers: [
        controller({
          name: 'c',
          prefix: '/',
          routes: routes.map((text, index) => {
            const [method, path] = text.split(' ')
            const handler = ({ params }: { readonly params: object }): object => ({ route: text, ...params })
            return { name: `r${index}`, method, path, handler }
          }),
        }),
      ],
    }),
    { logger: false, ...options },
  )
}

/** What a request is answered with, in one value: the JSON of a 200, otherwise the status and what goes with it. */
export async function ask(app: App, request: string): Promise<unknown> {
  const [method = '', url = ''] = request.split(' ')
  return summarize(await app.inject({ method, url }))
}

function summarize({ statusCode, headers, route, ...response }: InjectResponse): unknown {
  if (statusCode === 200) return response.body === '' ? { head: route?.path } : response.json()
  if (headers['allow'] !== undefined) return [statusCode, headers['allow']]
  return headers['location'] === undefined ? statusCode : [statusCode, headers['location']]
}
