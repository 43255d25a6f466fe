import { failure, FORMAT, printStyle, type Command } from './command.ts'
import type { RouteEntry } from '../server/app/route-list.ts'
import type { VersionInfo, VersionRoute } from '../server/routing/report/versions.ts'
import { type ServedRoutes, askApp } from './app-process.ts'
import { toTable } from './text-table.ts'

export const routes: Command = {
  summary: 'list the routes of an app',
  usage: '[<app>] [options]',
  about: [
    'Prints the methods, path, versions, name and guards of each route. With --version, it prints the routes that',
    'answer in this version, including neutral routes and paths without versions.',
  ],
  examples: [
    'octavo routes',
    'octavo routes src/app.ts --version 2',
    'octavo routes --format json | jq .result[].path',
  ],
  positionals: 1,
  options: {
    version: { value: '<version>', about: 'print the routes of this version only' },
    public: { about: 'print the routes that need no credentials' },
    format: FORMAT,
  },
  run: async (given, setting) => {
    const version = given.value('version')
    const served = await askApp(given.positionals[0], { kind: 'routes' }, setting)
    const info = version === undefined ? undefined : findVersion(served.versions, version)
    const rows =
      info === undefined ? served.routes.map((route): RouteRow => ({ route })) : rowsOf(served, info)
    const shown = given.has('public') ? rows.filter(({ route }) => route.public) : rows
    return {
      text: formatRoutes(served, shown, info),
      result: shown.map(({ route }) => ({ ...route, versions: versionsOf(served, route, undefined) })),
    }
  },
}

function formatRoutes(
  served: ServedRoutes,
  shown: readonly RouteRow[],
  info: VersionInfo | undefined,
): string {
  const style = printStyle()
  const cells = shown.map(({ route, life }) => routeCells(route, life, versionsOf(served, route, info)))
  const table = toTable(
    [
      { title: 'METHOD', style: style.green },
      { title: 'PATH', style: style.bold },
      { title: 'VERSION', style: style.cyan },
      { title: 'NAME' },
      { title: 'GUARDS', style: style.dim },
      { title: 'MARKS', style: style.yellow },
    ],
    cells,
  )
  return [
    ...table.map((line, index) => (index === 0 ? style.bold(line) : line)),
    '',
    summaryOf(served, shown.length),
  ].join('\n')
}

interface RouteRow {
  readonly route: RouteEntry
  /** Its life in the version that is shown. */
  readonly life?: VersionRoute
}

/** @throws `CommandError` when there is no such version. */
function findVersion(versions: readonly VersionInfo[], wanted: string): VersionInfo {
  const found = versions.find(({ version }) => version === wanted)
  if (found !== undefined) return found
  const known = versions.map(({ version }) => version).join(', ')
  throw failure(
    `unknown version "${wanted}"`,
    known === '' ? 'the app has no versions' : `the app has ${known}`,
  )
}

/** Returns the routes that answer in a version, with their methods there. */
function rowsOf(
  { routes: all, versions }: ServedRoutes,
  { version, routes: own }: VersionInfo,
): readonly RouteRow[] {
  const known = new Set(versions.map((each) => each.version))
  const versioned = new Set(versions.flatMap((each) => each.routes.map(({ path }) => path)))
  const answering = new Map<RouteEntry, VersionRoute>()
  for (const life of own) {
    const same = all.filter((route) => isSameRoute(life, route) && !answering.has(route))
    // routes of the same name differ in their versions, and an unknown version is a range
    const route =
      same.find((each) => each.versions.includes(version)) ??
      same.find((each) => each.versions.some((declared) => !known.has(declared))) ??
      same[0]
    if (route !== undefined) answering.set(route, life)
  }
  return all.flatMap((route): readonly RouteRow[] => {
    const life = answering.get(route)
    if (life !== undefined) return [{ route: { ...route, methods: life.methods }, life }]
    const answersAnyway =
      route.versions.includes('neutral') || (route.versions.length === 0 && !versioned.has(route.path))
    return answersAnyway ? [{ route }] : []
  })
}

function isSameRoute({ name, path, methods }: VersionRoute, route: RouteEntry): boolean {
  return (
    name === route.name && path === route.path && methods.every((method) => route.methods.includes(method))
  )
}

/** The versions of a row: those that the route declares, or that a history gives it. The table of one version leaves them out. */
function versionsOf(
  { routes: all, versions }: ServedRoutes,
  route: RouteEntry,
  info: VersionInfo | undefined,
): readonly string[] {
  if (info !== undefined) return route.versions.filter((each) => each === 'neutral')
  if (route.versions.length > 0) return route.versions
  return versions
    .filter(({ version, changes, routes: own }) => {
      const life = changes === undefined ? undefined : own.find((each) => isSameRoute(each, route))
      // a route of the same name that declares the version answers it
      return (
        life !== undefined && !all.some((each) => each.versions.includes(version) && isSameRoute(life, each))
      )
    })
    .map(({ version }) => version)
}

function routeCells(
  route: RouteEntry,
  life: VersionRoute | undefined,
  versions: readonly string[],
): readonly string[] {
  const isDeprecated = route.deprecated || life?.status === 'deprecated'
  const ended = life?.status === 'sunset' ? 'sunset' : ''
  const marks = [isDeprecated ? 'deprecated' : '', ended].filter(Boolean)
  return [
    route.methods.join(','),
    route.path,
    versions.join(', '),
    route.name,
    route.guards.join(', '),
    marks.join(', '),
  ]
}

function summaryOf({ versions }: ServedRoutes, count: number): string {
  const total = count === 1 ? '1 route' : `${count} routes`
  if (versions.length === 0) return total
  const known = versions.map(({ version, status, isDefault }) => {
    const notes = [status === 'active' ? '' : status, isDefault ? 'default' : ''].filter(Boolean)
    return notes.length === 0 ? version : `${version} (${notes.join(', ')})`
  })
  return `${total}, versions ${known.join(', ')}`
}
