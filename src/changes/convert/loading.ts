import { ignoreRejection, isPromise, isObject } from '../../base/values.ts'
import { processObserver } from '../../define/observer.ts'
import { HttpError } from '../../http/errors.ts'
import type { LayerExtra } from '../../routes/resolved-route.ts'
import {
  threwIn,
  unloaded,
  type Direction,
  type Extra,
  type Loader,
  type Loading,
  type Converter,
} from './converter.ts'
import {
  loadMembers,
  runInstruction,
  toldOf,
  valuesOf,
  writeMember,
  writeMembers,
  type Program,
} from './program.ts'
import type { LoadInstruction } from './instructions.ts'

/** How far an object has been converted. */
interface Progress {
  /** `undefined` until the members that its changes need are there. */
  registers: unknown[] | undefined
  next: number
  /** The results of loads for it, by their instructions. */
  readonly loaded: Map<LoadInstruction, unknown>
  made: { readonly value: unknown } | undefined
}

/**
 * Creates the conversion of objects for which changes load something, or for others in them. It stops where data is missing, so that all objects
 * get it with one call, and goes on there when it is called again. Each function of a change runs once for an object.
 */
export function interpretLoading(program: Program): Converter {
  const untouched = untouchedIn(program)
  return (value, extra) => {
    if (!isObject(value)) return value
    const { loading } = extra
    if (loading === undefined) throw unloaded()
    const progress = loading.keep(program, value, (): Progress => ({
      registers: undefined,
      next: 0,
      loaded: new Map(),
      made: undefined,
    }))
    return (progress.made ?? advance(program, value, extra, { progress, loading, untouched }))?.value
  }
}

/** Finds the members that no instruction makes. */
function untouchedIn({ instructions, members }: Program): Program['members'] {
  const made = new Set(
    instructions.flatMap((instruction) => {
      if (instruction.kind === 'group') return instruction.made.map(({ register }) => register)
      return instruction.kind === 'convert' || instruction.kind === 'inner' ? [instruction.register] : []
    }),
  )
  return members.filter(({ register }) => register === undefined || !made.has(register))
}

interface Site {
  readonly progress: Progress
  readonly loading: Loading
  readonly untouched: Program['members']
}

/** Converts an object as far as data is there. Returns `undefined` if it has to wait. */
function advance(
  program: Program,
  value: object,
  extra: Extra,
  { progress, loading, untouched }: Site,
): Progress['made'] {
  const { count } = loading
  // objects that no change of this one makes wait together with those of this level, each time it waits
  const haveOthersWait = (registers: unknown[]): undefined => {
    for (const member of untouched) writeMember(program, member, value, { registers, extra })
  }
  if (progress.registers === undefined) {
    const registers = loadMembers(program, value, extra)
    if (loading.count > count) return haveOthersWait(registers)
    progress.registers = registers
  }
  const { registers } = progress
  const site = { registers, extra, told: toldOf(extra), direction: program.direction }
  for (; progress.next < program.instructions.length; progress.next++) {
    const instruction = program.instructions[progress.next]
    if (instruction === undefined) break
    if (instruction.kind !== 'load') {
      const loader = 'loader' in instruction ? instruction.loader : undefined
      runInstruction(instruction, site, loader && progress.loaded.get(loader))
      if (instruction.kind === 'inner' && loading.count > count) return haveOthersWait(registers)
    } else if (
      !progress.loaded.has(instruction) &&
      instruction.required.every(({ register }) => registers[register] !== undefined)
    ) {
      const take = (loaded: unknown): void => void progress.loaded.set(instruction, loaded)
      const later = program.instructions.slice(progress.next + 1).filter((each) => each.kind === 'load')
      loading.wait(instruction, valuesOf(instruction.args, registers), take, later)
      return haveOthersWait(registers)
    }
  }
  // its members wait since the beginning
  if (loading.count > count) return undefined
  const made = writeMembers(program, value, site)
  return loading.count > count ? undefined : (progress.made = { value: made })
}

interface Waiting {
  readonly loader: Loader
  readonly values: object[]
  readonly takers: ((loaded: unknown) => void)[]
}

/** Holds the objects of one request or response that wait for data. */
class Batch implements Loading {
  readonly #kept = new Map<object, Map<object, unknown>>()
  #waiting = new Map<object, Waiting>()
  /** The loads that objects which wait may still come to. */
  readonly #later = new Set<Loader['load']>()

  get count(): number {
    let count = 0
    for (const { values } of this.#waiting.values()) count += values.length
    return count
  }

  keep<T>(by: object, value: object, make: () => T): T {
    const values = this.#kept.get(by) ?? new Map<object, unknown>()
    this.#kept.set(by, values)
    if (!values.has(value)) values.set(value, make())
    // a key always keeps the result of one function
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return values.get(value) as T
  }

  wait(loader: Loader, values: object, take: (loaded: unknown) => void, later: readonly Loader[]): void {
    for (const each of later) this.#later.add(each.load)
    const waiting = this.#waiting.get(loader.load) ?? { loader, values: [], takers: [] }
    this.#waiting.set(loader.load, waiting)
    waiting.values.push(values)
    waiting.takers.push(take)
  }

  /**
   * Takes what waits for the changes of one version: the newest on the way down, the oldest on the way up. What others may wait for later is
   * left, so that each load gets all of its objects at once. The rest is asked for again.
   */
  take({ direction, orderOf }: Way): readonly Waiting[] {
    const all = [...this.#waiting.values()].toSorted(
      ({ loader: one }, { loader: other }) => orderOf(one) - orderOf(other),
    )
    const first = all.at(direction === 'down' ? 0 : -1)
    const version = first?.loader.change.version
    const taken = all.filter(
      ({ loader }) => loader.change.version === version && !this.#later.has(loader.load),
    )
    this.#waiting = new Map()
    this.#later.clear()
    // changes may share one function
    return taken.length > 0 || first === undefined ? taken : [first]
  }
}

/** The direction of a conversion, and the positions of changes, newest first. */
interface Way {
  readonly direction: Direction
  readonly orderOf: (step: { readonly change: object }) => number
}

/** Runs a conversion in which changes load data for a request: again after each load, until nothing is missing. */
export async function withLoads<T>(
  extra: Extra,
  request: LayerExtra,
  way: Way,
  convert: (extra: Extra) => T,
): Promise<T> {
  const batch = new Batch()
  const own: Extra = {
    request: extra.request,
    state: extra.state,
    result: extra.result,
    altered: extra.altered,
    keeper: extra.keeper,
    loading: batch,
  }
  for (;;) {
    const made = convert(own)
    if (batch.count === 0) return made
    const waiting = batch.take(way)
    // oxlint-disable-next-line no-await-in-loop -- what is loaded next depends on what is there
    await Promise.all(waiting.map((each) => load(each, request)))
  }
}

async function load({ loader, values, takers }: Waiting, request: LayerExtra): Promise<void> {
  const loaded = await loadTogether(loader, values, request)
  for (const take of takers) take(loaded)
}

/** The calls of each request that have not begun. */
const upcoming = new WeakMap<object, Map<Loader['load'], UpcomingCall>>()

interface UpcomingCall {
  readonly values: object[]
  readonly loaded: Promise<unknown>
}

/** Loads with all that is asked for at once, such as by the items of a stream that are there already. */
function loadTogether(loader: Loader, values: readonly object[], request: LayerExtra): Promise<unknown> {
  const calls = upcoming.get(request) ?? new Map<Loader['load'], UpcomingCall>()
  upcoming.set(request, calls)
  const known = calls.get(loader.load)
  if (known !== undefined) {
    known.values.push(...values)
    return known.loaded
  }
  const all = [...values]
  const loaded = Promise.resolve().then(() => {
    calls.delete(loader.load)
    return callLoad(loader, all, request)
  })
  calls.set(loader.load, { values: all, loaded })
  return loaded
}

async function callLoad(
  loader: Loader,
  values: readonly object[],
  { request, state, signal = new AbortController().signal, provide }: LayerExtra,
): Promise<unknown> {
  const started = performance.now()
  try {
    const inject = Object.keys(loader.tokens).length === 0 ? {} : await provide?.(loader.tokens)
    // the types of `inject` come from the tokens of the change
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return await untilAborted(loader.load(values, { inject, request, state, signal } as never), signal)
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw threwIn({ change: loader.change, fields: ['load'] }, error)
  } finally {
    processObserver().load?.({ change: loader.change.id, duration: performance.now() - started })
  }
}

/** Waits for a promise, and no longer than the signal lets it. */
function untilAborted(result: unknown, signal: AbortSignal): unknown {
  if (!isPromise(result)) return result
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      ignoreRejection(result)
      reject(signal.reason)
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    result.then(resolve, reject).then(() => signal.removeEventListener('abort', abort))
  })
}
