import { isString } from '../base/values.ts'
import { ProblemError, type Answer } from './answer.ts'

/** The data of a page. */
interface DataOfPage<I = unknown> {
  readonly items?: I
  readonly next?: unknown
}

/** Calls a route by its name. */
type CallByName = (name: string, input?: unknown) => Promise<unknown>

/** The end of the name of a route whose items are asked for. */
const PAGES = '.pages'

/** Creates the function that calls a route for the data of its success. */
export function createTakeData(call: CallByName): CallByName {
  return async (name, input) => {
    // nothing else asks for more than data
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { ok, data, response } = (await call(name, input)) as Answer<number, unknown>
    if (!ok) throw new ProblemError(response, data)
    return data
  }
}

/** Has calls of `car.list.pages` iterate over the pages of `car.list`, unless a route has the whole name. */
export function withPages(find: CallByName, call: CallByName, take: CallByName): CallByName {
  return async (name, input) => {
    if (!name.endsWith(PAGES)) return call(name, input)
    const isRoute = await find(name).then(Boolean, () => false)
    if (isRoute) return call(name, input)
    const list = name.slice(0, -PAGES.length)
    await find(list)
    return {
      ok: true,
      data: eachItem((query) => take(list, { ...Object(input), query }), input),
      response: {},
    }
  }
}

/**
 * Asks for a page and those that follow it. An error has the cursor of the page that it is about, with which another iteration goes on.
 *
 * @yields each item
 */
async function* eachItem(
  ask: (query: unknown) => Promise<unknown>,
  input: unknown,
): AsyncGenerator<unknown, undefined> {
  const query: unknown = Object(input).query
  let asked = query
  for (;;) {
    const { items, next } = await readPage(ask, asked)
    yield* items
    if (!isString(next)) return undefined
    asked = { ...Object(query), cursor: next }
  }
}

async function readPage(
  ask: (query: unknown) => Promise<unknown>,
  query: unknown,
): Promise<Required<DataOfPage<unknown[]>>> {
  try {
    const { items, next }: DataOfPage = Object(await ask(query))
    if (Array.isArray(items)) return { items, next }
    throw new TypeError('The answer is no page: its data has no items')
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { cursor: Object(query).cursor })
    throw error
  }
}
