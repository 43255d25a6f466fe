/** Where a request goes, as its URL says. */
export interface Address {
  readonly host: string
  readonly protocol: 'http' | 'https'
  readonly target: string
}

/** Creates the function that reads a URL. The origins of requests differ seldom, so the last one is kept. */
export function createAddressReader(): (url: string) => Address {
  let origin = ''
  let known: Address = { host: '', protocol: 'http', target: '/' }
  return (url) => {
    if (origin !== '' && url.startsWith(origin) && url[origin.length] === '/') {
      const hash = url.indexOf('#')
      const { host, protocol } = known
      return { host, protocol, target: url.slice(origin.length, hash === -1 ? undefined : hash) }
    }
    known = readAddress(url)
    origin = known.host === '' ? '' : url.slice(0, url.indexOf('://') + 3 + known.host.length)
    return known
  }
}

/** Host, protocol and request target of a URL; the fragment stays with the client. */
function readAddress(url: string): Address {
  const [, scheme = 'http', host = '', rest = url] = /^(https?):\/\/([^/?#]*)([^#]*)/i.exec(url) ?? []
  return {
    host,
    protocol: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    target: rest.startsWith('/') ? rest : `/${rest}`,
  }
}
