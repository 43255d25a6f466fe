import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Reading } from '../request/read-sources.ts'
import type { Run } from './guards.ts'
import type { Answer, ToInput } from './validation/sources.ts'
import { validating, wantFiles } from './validation/load.ts'

/** Puts the reading and validating of input before what answers; nothing for a route without sources. */
export function withInput(route: ResolvedRoute, reading: Reading, answer: Answer): Run {
  const toInput = createInput(route)
  if (route.sources.length === 0) return (context, values) => answer(context, toInput(values))
  if (route.sources.some(({ name }) => name === 'files')) wantFiles()
  const create = validating(({ withSources }) => withSources(route, reading, toInput, answer))
  return (context, values) => create()(context, values)
}

/** Creates the function that starts an input: path parameters as their types read them, but for those that a schema reads. */
function createInput({ pattern, sources }: ResolvedRoute): ToInput {
  const refined = new Set(
    sources.flatMap(({ name, plan }) => (name === 'params' ? [...plan.fields.keys()] : [])),
  )
  const typed = [...pattern.params.entries()].flatMap(([index, { name, type }]) =>
    refined.has(name) ? [] : [{ index, name, type }],
  )
  if (pattern.params.length === 0) return () => ({ params: NO_PARAMS, inject: undefined })
  return (values) => {
    const params: Record<string, unknown> = Object.create(null)
    for (const { index, name, type } of typed) params[name] = type.parse(values[index] ?? '')
    return { params, inject: undefined }
  }
}

/** Of paths without parameters; one for all requests, so frozen. */
const NO_PARAMS: Record<string, unknown> = Object.freeze(Object.create(null))
