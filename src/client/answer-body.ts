/**
 * The body of an answer, by its content type: JSON as a value, text as a string, anything else as bytes; `undefined` where there is
 * none.
 *
 * @throws `SyntaxError` for malformed JSON.
 */
export async function readBody(response: Response, method: string): Promise<unknown> {
  if (method === 'HEAD' || response.body === null || EMPTY.has(response.status)) return undefined
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json' || type.endsWith('+json')) {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 && type === '' ? undefined : bytes
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])
