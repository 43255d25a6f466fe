import Module from 'node:module'

type Resolve = (request: string, ...rest: unknown[]) => string

/** Does work as if a package were not installed, for whoever asks where it is by `require.resolve`. */
export function withoutPackage<T>(name: string, work: () => Promise<T>): Promise<T> {
  return withResolution(name, () => undefined, work)
}

/** Does work as if the entry point of a package were a file, for whoever asks where it is by `require.resolve`. */
export function withPackage<T>(name: string, file: string, work: () => Promise<T>): Promise<T> {
  return withResolution(name, (request) => (request === name ? file : undefined), work)
}

async function withResolution<T>(
  name: string,
  find: (request: string) => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  // what every require.resolve asks
  const loader = Module as unknown as { _resolveFilename: Resolve }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, ...rest) => {
    if (request !== name && !request.startsWith(`${name}/`))
      return Reflect.apply(resolve, loader, [request, ...rest])
    const found = find(request)
    if (found === undefined) throw new Error(`Cannot find module '${request}'`)
    return found
  }
  try {
    return await work()
  } finally {
    loader._resolveFilename = resolve
  }
}
