import { VERSION_NEUTRAL } from 'octavo'

import type { Row } from './support.ts'

/** What a request is, for the rules: `version` is `null` when none was given. */
export interface Asked {
  readonly method: string
  /** Without version segment. */
  readonly path: string
  readonly version: string | null
}

export interface World {
  readonly rows: readonly Row[]
  /** Oldest first. */
  readonly known: readonly string[]
  readonly defaultVersion: string | null
  /** Whether versions are path segments. */
  readonly inPath: boolean
  /** For unsupported and unspecified versions. */
  readonly statuses: readonly [unsupported: number, unspecified: number]
}

export interface Expected {
  readonly status: number
  /** The word of the handler and the version. */
  readonly answer: string | undefined
  readonly code: string | undefined
  readonly allow: string | undefined
}

const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Answers a request as sections 2.3 and 2.4 say, by reading every row. The paths are literal, and no row has a range. */
export function interpret(world: World, { method, path, version }: Asked): Expected {
  const { known, defaultVersion } = world
  // steps 4 and 5: r is a known version, null for none, and undefined for the root "other"
  const asked = version ?? defaultVersion
  const r = asked === null ? null : known.includes(asked) ? asked : undefined
  const named = version !== null
  const here = world.rows.filter((row) => row[1] === path)
  // step 6
  const found = handlerOf(world, here, method, r, named)
  if (found !== undefined)
    return { status: 200, answer: `${found[3]}@${r ?? null}`, code: undefined, allow: undefined }
  // step 7
  if (here.length === 0) return failure(404, 'route_not_found')
  if (r === null) {
    const methods = methodsOf(here.map(([own]) => own))
    if (method === 'OPTIONS') return { status: 204, answer: undefined, code: undefined, allow: methods }
    if (hasMethod(here, method)) return failure(world.statuses[1], 'unspecified_version')
    return { ...failure(405, 'method_not_allowed'), allow: methods }
  }
  const own = here
    .filter((row) => handlerOf(world, here, row[0], r, named) !== undefined)
    .map(([each]) => each)
  if (own.length === 0) return failure(world.statuses[0], 'unsupported_version')
  if (method === 'OPTIONS') return { status: 204, answer: undefined, code: undefined, allow: methodsOf(own) }
  return { ...failure(405, 'method_not_allowed'), allow: methodsOf(own) }
}

/** P1, P5, P6, P8, P9 and R1: who answers at a path; HEAD falls back to GET. */
function handlerOf(
  world: World,
  here: readonly Row[],
  method: string,
  r: string | null | undefined,
  named: boolean,
): Row | undefined {
  const { inPath, defaultVersion } = world
  const rows = here.filter((row) => row[0] === method)
  const opted = here.some((row) => versionsOf(row).length > 0)
  const exact = rows.find((row) => typeof r === 'string' && versionsOf(row).includes(r))
  const unversioned = opted ? r === null || r === defaultVersion : !(inPath && named)
  const neutral = r !== undefined || !(opted || inPath)
  const found =
    exact ??
    rows.find((row) => unversioned && row[2] === undefined) ??
    rows.find((row) => neutral && [row[2]].flat().includes(VERSION_NEUTRAL))
  return found ?? (method === 'HEAD' ? handlerOf(world, here, 'GET', r, named) : undefined)
}

function versionsOf([, , spec]: Row): readonly string[] {
  return [spec].flat().filter((entry) => typeof entry === 'string')
}

function hasMethod(rows: readonly Row[], method: string): boolean {
  return rows.some(([own]) => own === method || (own === 'GET' && method === 'HEAD'))
}

function methodsOf(methods: readonly string[]): string {
  const all = new Set([...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])])
  return ORDER.filter((method) => all.has(method)).join(', ')
}

function failure(status: number, code: string): Expected {
  return { status, answer: undefined, code, allow: undefined }
}
