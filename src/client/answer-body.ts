/**
 * The body of an answer, by its content type: JSON as a value, text as a string, anything else as bytes; `undefined` where there is
 * none.
 *
 * @throws `SyntaxError` for malformed JSON; of an error, its text tells more.
 */
export async function readBody(response: Response, method: string): Promise<unknown> {
  if (method === 'HEAD' || response.body === null || EMPTY.has(response.status)) return undefined
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json' || type.endsWith('+json')) {
    return toValue(await response.text(), response.status)
  }
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml')) return response.text()
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.length === 0 && type === '' ? undefined : bytes
}

function toValue(text: string, status: number): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (status >= 400) return text
    throw error
  }
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])
