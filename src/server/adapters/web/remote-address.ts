/** The address of the client, from `FetchInfo`, the information of Deno or the server of Bun. */
export function remoteAddressOf(info: unknown, request: Request): string | undefined {
  const { remoteAddress, remoteAddr, requestIP } = Object(info)
  if (typeof remoteAddress === 'string') return remoteAddress
  const found: unknown =
    typeof requestIP === 'function' ? Reflect.apply(requestIP, info, [request]) : remoteAddr
  const { address, hostname } = Object(found)
  return [address, hostname].find((text) => typeof text === 'string')
}
