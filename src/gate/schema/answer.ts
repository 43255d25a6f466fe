/** Whether all values of one shape are in another. `unknown` is said where neither can be shown. */
export type Answer = 'yes' | 'no' | 'unknown'

/** The least certain of several answers that all have to be yes. */
export function all(answers: Iterable<Answer>): Answer {
  return allOf(answers, (answer) => answer)
}

/** The least certain of the answers for several values. Asks no further than the first no. */
export function allOf<T>(values: Iterable<T>, ask: (value: T) => Answer): Answer {
  let least: Answer = 'yes'
  for (const value of values) {
    const answer = ask(value)
    if (answer === 'no') return 'no'
    if (answer === 'unknown') least = 'unknown'
  }
  return least
}
