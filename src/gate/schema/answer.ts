/** Whether all values of one shape are in another. `unknown` is said where neither can be shown. */
export type Answer = 'yes' | 'no' | 'unknown'

/** The least certain of several answers that all have to be yes. */
export function all(answers: Iterable<Answer>): Answer {
  let least: Answer = 'yes'
  for (const answer of answers) {
    if (answer === 'no') return 'no'
    if (answer === 'unknown') least = 'unknown'
  }
  return least
}

// Values made when they are asked for.
export function* mapLazily<T, R>(values: Iterable<T>, to: (value: T) => R): Generator<R> {
  for (const value of values) yield to(value)
}
