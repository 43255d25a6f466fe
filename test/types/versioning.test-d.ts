import { createApp, defineModule, defineVersioningScheme, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes
const module = defineModule({})
declare const app: App
interface TenantOptions {
  readonly depth: number
}
const Tenant = defineVersioningScheme<TenantOptions>({
  name: 'tenant',
  read: (request, { depth }) => request.path.split('/')[depth],
})

// one scheme: its own options and the common ones, in one object
app.enableVersioning(URL)
app.enableVersioning(URL, { allowBare: true, versionParameter: 'v', defaultVersion: '1' })
app.enableVersioning(HEADER, { headerParameter: 'x-version', echo: 'contentType' })
app.enableVersioning(Tenant, { depth: 1, required: true })
// @ts-expect-error an option of another scheme
app.enableVersioning(URL, { headerParameter: 'x-version' })
// @ts-expect-error a value of another type
app.enableVersioning(URL, { allowBare: 'yes' })
// @ts-expect-error no such option
app.enableVersioning(QUERY, { defaultVersoin: '1' })
// @ts-expect-error no such floor
app.enableVersioning(QUERY, { unknown: 'ceiling' })
// @ts-expect-error the options of an own scheme are checked too
app.enableVersioning(Tenant, { depth: '1' })

// several schemes: each with its own options, then the common ones
app.enableVersioning(
  [
    [URL, { allowBare: true }],
    [HEADER, { headerParameter: 'x-version' }],
  ],
  { defaultVersion: '1' },
)
app.enableVersioning([[URL], [QUERY, { versionParameter: 'api-version' }], [Tenant, { depth: 2 }]])
app.enableVersioning([[HOST, { ignoreLabels: ['www'] }]], { versions: ['2', '1'] })
app.enableVersioning([
  [URL, { allowBare: true }],
  // @ts-expect-error an option of another scheme of the list
  [HEADER, { allowBare: true }],
])
// @ts-expect-error a value of another type
app.enableVersioning([[URL], [HEADER, { headerParameter: 7 }]])
// @ts-expect-error a common option beside a scheme
app.enableVersioning([[URL], [QUERY, { defaultVersion: '1' }]])
// @ts-expect-error an option of a scheme among the common ones
app.enableVersioning([[URL], [QUERY]], { versionParameter: 'v' })
// @ts-expect-error a scheme without its brackets
app.enableVersioning([URL, HEADER])
// @ts-expect-error the options of an own scheme are checked too
app.enableVersioning([[URL], [Tenant, { deep: 1 }]])

// the same with `createApp`, in one object
createApp(module, { versioning: { scheme: URL, allowBare: true, defaultVersion: '1' } })
createApp(module, { versioning: { scheme: Tenant, depth: 1 } })
createApp(module, {
  versioning: {
    schemes: [
      [URL, { allowBare: true }],
      [HEADER, { headerParameter: 'x-version' }],
    ],
    defaultVersion: '1',
  },
})
createApp(module, { versioning: { schemes: [[URL], [Tenant, { depth: 2 }]] } })
createApp(module, { versioning: { scheme: QUERY, defaultVersion: (request) => request.header('x') ?? null } })
// @ts-expect-error an option of another scheme
createApp(module, { versioning: { scheme: URL, headerParameter: 'x-version' } })
// @ts-expect-error a value of another type
createApp(module, { versioning: { scheme: URL, allowBare: 'yes' } })
// @ts-expect-error no such option
createApp(module, { versioning: { scheme: QUERY, defaultVersoin: '1' } })
// @ts-expect-error an own scheme needs its option
createApp(module, { versioning: { scheme: Tenant } })
// @ts-expect-error the options of an own scheme are checked too
createApp(module, { versioning: { scheme: Tenant, depth: '1' } })
// @ts-expect-error an option of another scheme of the list
createApp(module, { versioning: { schemes: [[URL], [HEADER, { allowBare: true }]] } })
// @ts-expect-error a value of another type
createApp(module, { versioning: { schemes: [[URL], [HEADER, { headerParameter: 7 }]] } })
// @ts-expect-error an option of a scheme among the common ones
createApp(module, { versioning: { schemes: [[URL], [QUERY]], versionParameter: 'v' } })
// @ts-expect-error one or the other
createApp(module, { versioning: { scheme: URL, schemes: [[URL]] } })
// @ts-expect-error no scheme
createApp(module, { versioning: { defaultVersion: '1' } })
// @ts-expect-error the form of earlier releases
createApp(module, { versioning: [URL, { defaultVersion: '1' }] })

// a mistake is reported where it stands
app.enableVersioning(QUERY, {
  // @ts-expect-error no such option
  defaultVersoin: '1',
})
app.enableVersioning(QUERY, {
  versions: [
    {
      version: '1',
      // @ts-expect-error no such field of a policy
      depricated: true,
    },
  ],
})
app.enableVersioning([[URL], [QUERY]], {
  // @ts-expect-error no such option
  defaultVersoin: '1',
})
createApp(module, {
  versioning: {
    scheme: URL,
    // @ts-expect-error no such option
    versionParamter: 'v',
  },
})
createApp(module, {
  versioning: {
    scheme: URL,
    // @ts-expect-error a value of another type
    allowBare: 'yes',
  },
})
createApp(module, {
  versioning: {
    schemes: [[URL]],
    // @ts-expect-error no such option
    defaultVersoin: '1',
  },
})
createApp(module, {
  versioning: {
    scheme: QUERY,
    versions: [
      {
        version: '1',
        // @ts-expect-error no such field of a policy
        depricated: true,
      },
    ],
  },
})
