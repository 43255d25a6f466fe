/** Freezes a constant with all that is in it: documents of all applications share it, and nobody can change it for the others. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}
