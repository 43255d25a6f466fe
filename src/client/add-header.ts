/** Adds a header. @throws `TypeError` that tells its name alone, where the platform would repeat a value that may be a secret. */
export function addHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    throw new TypeError(
      `The header ${JSON.stringify(name)} cannot be sent: its name or its value is none of HTTP`,
    )
  }
}
