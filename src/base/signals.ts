/** The waiting callbacks of each signal, which share one listener because Node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, SignalListener>()

/** A listener, and what it calls. */
interface SignalListener {
  readonly all: Set<() => void>
  readonly listen: () => void
}

/** Calls a function when the signal is aborted. Returns the function that forgets it. */
export function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  const { all, listen } = waiting.get(signal) ?? createSignalListener(signal)
  all.add(stop)
  return () => {
    if (!all.delete(stop) || all.size > 0) return
    signal.removeEventListener('abort', listen)
    waiting.delete(signal)
  }
}

function createSignalListener(signal: AbortSignal): SignalListener {
  const all = new Set<() => void>()
  const made = { all, listen: () => all.forEach((each) => each()) }
  waiting.set(signal, made)
  signal.addEventListener('abort', made.listen, { once: true })
  return made
}

/**
 * Aborts a controller when a signal that may live longer is aborted. Returns the function that forgets it. A signal of `AbortSignal.any`
 * stays in memory on Node 20 if somebody listens to it, and leaves a reference in its sources on later versions.
 */
export function followSignal(signal: AbortSignal, controller: AbortController): () => void {
  if (!signal.aborted) return whenAborted(signal, () => controller.abort(signal.reason))
  controller.abort(signal.reason)
  return () => undefined
}

let registry: FinalizationRegistry<() => void> | undefined

/**
 * Calls a function when an object that others may hold is collected, unless the returned function has called it before. It must not refer
 * to the object.
 */
export function whenCollected(target: object, work: () => void): () => void {
  if (typeof FinalizationRegistry === 'undefined') return work
  const all = (registry ??= new FinalizationRegistry((each) => each()))
  all.register(target, work, work)
  return () => {
    all.unregister(work)
    work()
  }
}
