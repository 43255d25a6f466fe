/** Every status of success, for those that are declared. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

/** The statuses besides exact ones that a response map takes; an exact status wins over its range, and that over `default`. */
export const RANGES = ['4XX', '5XX', 'default'] as const

/** A key of a response map. */
export type ResponseKey = number | (typeof RANGES)[number]

/** Returns the declaration of a status. */
export function findResponse<T>(responses: ReadonlyMap<ResponseKey, T>, status: number): T | undefined {
  const declared = responses.get(status)
  if (declared !== undefined) return declared
  const range = status >= 500 ? '5XX' : '4XX'
  return (status >= 400 ? responses.get(range) : undefined) ?? responses.get('default')
}

/** The status of a stream. Clients take events of no other (the HTML standard, section 9.2.3). */
export const STREAM_STATUS = 200
