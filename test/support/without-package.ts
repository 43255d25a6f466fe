import Module from 'node:module'

type Resolve = (request: string, ...rest: unknown[]) => string

/** Does work as if a package were not installed, for whoever asks where it is by `require.resolve`. */
export async function withoutPackage<T>(name: string, work: () => Promise<T>): Promise<T> {
  // what every require.resolve asks
  const loader = Module as unknown as { _resolveFilename: Resolve }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, ...rest) => {
    if (request === name || request.startsWith(`${name}/`)) throw new Error(`Cannot find module '${request}'`)
    return Reflect.apply(resolve, loader, [request, ...rest])
  }
  try {
    return await work()
  } finally {
    loader._resolveFilename = resolve
  }
}
