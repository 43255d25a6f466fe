import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { Server } from 'node:http'

import {
  createApp,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineModule,
  reply,
  ValidationError,
  VersioningSchemes,
  type App,
} from 'octavo'
import { defineVersionChange, defineVersions, derive, model, operation, reshape } from 'octavo/changes'
import { host } from 'octavo/inside'
import { z } from 'zod'

/** What the applications of the features note, and what the tests tell them. */
export interface Notes {
  /** Requests and their statuses, as the log in front of `inside` has them. */
  readonly log: string[]
  /** Requests that reach a handler. */
  readonly handled: string[]
  /** Ends the wait of `/ticks` and `/lines` between their first value and their second. */
  go: () => void
}

/** Where an application compresses and answers preflights: in front of `inside` or behind it. */
export type Place = 'outside' | 'behind'

/** Opens an application with the features of the table. Returns its server, which is listening. */
export type OpenFeatures = (versions: App, notes: Notes, place: Place) => Promise<Server>

export const storage = new AsyncLocalStorage<string>()

export const ORIGIN = 'https://site.example'

export const MANY = Array.from({ length: 500 }, (_, at) => ({ id: String(at), name: `Ann ${at}` }))

export const toItem = (id: unknown): object => ({ id: String(id), name: 'Ann' })

/** A part of an item, as a request for it has it. */
export const PART = { text: '{"id', range: 'bytes 0-3/9' }

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Counts the requests of a client, of which two are allowed. */
export function createLimiter(): (client: string | undefined) => { remaining: number; isOver: boolean } {
  const counts = new Map<string, number>()
  return (client) => {
    if (client === undefined) return { remaining: 2, isOver: false }
    const count = (counts.get(client) ?? 0) + 1
    counts.set(client, count)
    return { remaining: Math.max(0, 2 - count), isOver: count > 2 }
  }
}

/**
 * Two values.
 *
 * @yields the second when a test says so
 */
export async function* twoItems(notes: Notes, toText: (item: object) => string): AsyncGenerator<string> {
  const told = new Promise<void>((resolve) => {
    notes.go = resolve
  })
  yield toText(toItem('1'))
  await told
  yield toText(toItem('2'))
}

export const toEvent = (item: object): string => `event: item\ndata: ${JSON.stringify(item)}\n\n`

export const toLine = (item: object): string => `${JSON.stringify(item)}\n`

const Item = model('Item', { id: z.string(), name: z.string() })
const NewItem = derive(Item, (item) => item.omit({ id: true }))

const titles = defineVersionChange({
  version: '2',
  title: 'An item has a name',
  change: [
    reshape({ of: Item, fields: { name: { was: 'title' } } }),
    operation({ route: 'items.owner', path: { was: '/people/{id}' } }),
    operation({ route: 'items.addOwner', path: { was: '/people' } }),
  ],
})

const history = defineVersions({ versions: ['2', '1'], models: { Item }, changes: [titles] })

const Allowed = defineGuard({
  name: 'Allowed',
  canActivate: ({ request }) => request.header('x-denied') === undefined,
})

/** Answers invalid requests as the application behind does. */
const onInvalid = defineErrorHandler({
  match: ValidationError,
  handle: ({ errors }) => reply(400, { invalid: errors.map(({ path }) => path.join('.')) }),
})

const items = defineController({
  prefix: '/',
  name: 'items',
  guards: [Allowed],
  routes: [
    { method: 'GET', path: '/items/{id}', name: 'getOne', response: Item, forward: host },
    {
      method: 'POST',
      path: '/items',
      name: 'create',
      input: { body: NewItem },
      response: { 201: Item },
      forward: host,
    },
    { method: 'GET', path: '/owners/{id}', name: 'owner', response: Item, forward: host },
    {
      method: 'POST',
      path: '/owners',
      name: 'addOwner',
      input: { body: NewItem },
      response: { 201: Item },
      forward: host,
    },
    {
      method: 'POST',
      path: '/uploads',
      name: 'upload',
      input: { form: NewItem, files: { file: z.instanceof(File) } },
      response: Item,
      forward: host,
    },
    {
      method: 'POST',
      path: '/binary',
      name: 'binary',
      input: { headers: z.object({ 'x-none': z.string().optional() }) },
      response: Item,
      forward: host,
    },
    ...(['session', 'ip', 'context', 'limited'] as const).map(
      (name) => ({ method: 'GET', path: `/${name}`, name, response: Item, forward: host }) as const,
    ),
    { method: 'GET', path: '/big', name: 'big', response: z.array(Item), forward: host },
    { method: 'GET', path: '/ticks', name: 'ticks', events: { item: Item }, forward: host },
    { method: 'GET', path: '/lines', name: 'lines', items: Item, forward: host },
    { method: 'GET', path: '/file', name: 'file', forward: host },
    { method: 'GET', path: '/part', name: 'part', response: Item, forward: host },
  ],
})

/** The versions of the application with the features of the table. */
export function createFeatureVersions(options: object = {}): App {
  return createApp(defineModule({ controllers: [items] }), {
    logger: false,
    versioning: {
      scheme: VersioningSchemes.HEADER,
      headerParameter: 'x-api-version',
      history,
      defaultVersion: '2',
      echo: true,
    },
    ...options,
  })
}

export const asApplication = { errorHandlers: [onInvalid] }
