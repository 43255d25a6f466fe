import {
  checkOptions,
  invalidOption,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import type { Middleware } from '../../define/layers.ts'
import { describeValue, isBoolean, isCount, isRecord, toKebab, andThen } from '../../base/values.ts'

/** How long browsers use only HTTPS (RFC 6797). */
export interface HstsOptions {
  /** Seconds from the last response on. @default 31536000, a year */
  readonly maxAge?: number
  /** Whether it holds for subdomains too. @default true */
  readonly includeSubDomains?: boolean
  /** Asks to be listed by browsers for ever: https://hstspreload.org. @default false */
  readonly preload?: boolean
}

/** The options of `securityHeaders`: for each header its value, or `false` for none. */
export interface SecurityHeadersOptions {
  /**
   * Restricts the resources of a page (`Content-Security-Policy`).
   *
   * @default for HTML that of helmet, for all else `default-src 'none';frame-ancestors 'none'`
   */
  readonly contentSecurityPolicy?: CspDirectives | false
  /** Reports what a policy would block (`Content-Security-Policy-Report-Only`). @default none */
  readonly contentSecurityPolicyReportOnly?: CspDirectives | false
  /** Sent over HTTPS only. @default { maxAge: 31536000, includeSubDomains: true } */
  readonly strictTransportSecurity?: HstsOptions | false
  /** Which resources of other origins a page may embed (`Cross-Origin-Embedder-Policy`). @default none */
  readonly crossOriginEmbedderPolicy?: string | false
  /** Separates a page from windows of other origins (`Cross-Origin-Opener-Policy`). @default 'same-origin' */
  readonly crossOriginOpenerPolicy?: string | false
  /** Does not stop what CORS allows. @default 'same-origin' */
  readonly crossOriginResourcePolicy?: string | false
  /** Isolates an origin from others of its site (`Origin-Agent-Cluster`). @default '?1' */
  readonly originAgentCluster?: string | false
  /** Which features of browsers a page may use (`Permissions-Policy`). @default none */
  readonly permissionsPolicy?: string | false
  /** How much of its address a page sends to others (`Referrer-Policy`). @default 'no-referrer' */
  readonly referrerPolicy?: string | false
  /** Stops browsers from guessing content types (`X-Content-Type-Options`). @default 'nosniff' */
  readonly xContentTypeOptions?: string | false
  /** Whether browsers resolve the hosts of links in advance (`X-DNS-Prefetch-Control`). @default 'off' */
  readonly xDnsPrefetchControl?: string | false
  /** Stops old browsers from opening downloads in the site's context (`X-Download-Options`). @default 'noopen' */
  readonly xDownloadOptions?: string | false
  /** Which pages may embed a page (`X-Frame-Options`). @default 'SAMEORIGIN' */
  readonly xFrameOptions?: string | false
  /** Whether plugins may load data across domains (`X-Permitted-Cross-Domain-Policies`). @default 'none' */
  readonly xPermittedCrossDomainPolicies?: string | false
  /** `'0'` turns off a filter of old browsers that could be abused. @default '0' */
  readonly xXssProtection?: string | false
}

const WHERE = 'securityHeaders'

/** The headers whose value is a text: option, header, default. */
const TEXTS = [
  ['crossOriginEmbedderPolicy', 'cross-origin-embedder-policy', false],
  ['crossOriginOpenerPolicy', 'cross-origin-opener-policy', 'same-origin'],
  ['crossOriginResourcePolicy', 'cross-origin-resource-policy', 'same-origin'],
  ['originAgentCluster', 'origin-agent-cluster', '?1'],
  ['permissionsPolicy', 'permissions-policy', false],
  ['referrerPolicy', 'referrer-policy', 'no-referrer'],
  ['xContentTypeOptions', 'x-content-type-options', 'nosniff'],
  ['xDnsPrefetchControl', 'x-dns-prefetch-control', 'off'],
  ['xDownloadOptions', 'x-download-options', 'noopen'],
  ['xFrameOptions', 'x-frame-options', 'SAMEORIGIN'],
  ['xPermittedCrossDomainPolicies', 'x-permitted-cross-domain-policies', 'none'],
  ['xXssProtection', 'x-xss-protection', '0'],
] as const

/** Of helmet 8. */
const HTML_POLICY: CspDirectives = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'font-src': ["'self'", 'https:', 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'script-src': ["'self'"],
  'script-src-attr': ["'none'"],
  'style-src': ["'self'", 'https:', "'unsafe-inline'"],
  'upgrade-insecure-requests': true,
}

/** Of what is data: nothing that a browser may take it for can load or run anything. */
const DATA_POLICY: CspDirectives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] }

const HSTS: Rules = {
  maxAge: [isCount, 'a number of seconds'],
  includeSubDomains: [isBoolean, 'true or false'],
  preload: [isBoolean, 'true or false'],
}

const OPTIONS: Rules = {
  contentSecurityPolicy: policyRule('contentSecurityPolicy'),
  contentSecurityPolicyReportOnly: policyRule('contentSecurityPolicyReportOnly'),
  strictTransportSecurity: [(value) => value === false || isRecord(value), 'false or an object', HSTS],
  ...Object.fromEntries(
    TEXTS.map(([option]): [string, Rules[string]] => [
      option,
      [
        (value) => value === false || (typeof value === 'string' && /^[\t ]*[!-~][\t -~]*$/.test(value)),
        'false or a text in ASCII',
      ],
    ]),
  ),
}

/**
 * Creates middleware that adds the security headers of helmet 8, with its values. A header that a handler sets wins.
 *
 * @example
 * createApp(AppModule, { middleware: [securityHeaders({ xFrameOptions: 'DENY', originAgentCluster: false })] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): Middleware {
  checkOptions(WHERE, options, OPTIONS)
  const tables = {
    http: createTables(options, undefined),
    https: createTables(options, toHsts(options.strictTransportSecurity)),
  }
  return (context, next) =>
    andThen(next(), (response) => {
      const { html, data } = tables[context.request.protocol]
      const { headers } = response
      const type = headers['content-type']
      const isHtml = typeof type === 'string' && /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type)
      for (const [name, value] of isHtml ? html : data) headers[name] ??= value
      return response
    })
}

type HeaderTable = readonly (readonly [name: string, value: string])[]

function createTables(
  options: SecurityHeadersOptions,
  hsts: string | undefined,
): { readonly html: HeaderTable; readonly data: HeaderTable } {
  const { contentSecurityPolicy: policy, contentSecurityPolicyReportOnly: reportOnly } = options
  const rest: HeaderTable = [
    ...toHeaderEntry('content-security-policy-report-only', reportOnly && toPolicy(reportOnly)),
    ...TEXTS.flatMap(([option, name, value]) => toHeaderEntry(name, options[option] ?? value)),
    ...toHeaderEntry('strict-transport-security', hsts),
  ]
  const withPolicy = (standard: CspDirectives): HeaderTable =>
    Object.freeze([
      ...toHeaderEntry('content-security-policy', policy !== false && toPolicy(policy ?? standard)),
      ...rest,
    ])
  return { html: withPolicy(HTML_POLICY), data: withPolicy(DATA_POLICY) }
}

function toHeaderEntry(name: string, value: string | false | undefined): HeaderTable {
  return value === false || value === undefined ? [] : [[name, value]]
}

/** Over plain HTTP browsers ignore the header, and servers are not to send it (RFC 6797 section 7.2). */
function toHsts(hsts: HstsOptions | false = {}): string | undefined {
  if (hsts === false) return undefined
  const { maxAge = 31_536_000, includeSubDomains = true, preload = false } = hsts
  return `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`
}

/**
 * The directives of a Content Security Policy by name, as `'default-src'` or `defaultSrc`: a list of sources, or `true` for a
 * directive that takes none.
 */
export type CspDirectives = Readonly<Record<string, readonly string[] | true>>

/** Writes directives as the value of a header. */
function toPolicy(directives: CspDirectives): string {
  return Object.entries(directives)
    .map(([name, sources]) => (sources === true ? toKebab(name) : [toKebab(name), ...sources].join(' ')))
    .join(';')
}

const KEYWORD =
  /^(?:self|none|unsafe-inline|unsafe-eval|unsafe-hashes|wasm-unsafe-eval|strict-dynamic|report-sample|(?:nonce|sha256|sha384|sha512)-.*)$/

/** Visible ASCII without what ends a source, a directive or a header. */
const SOURCE = /^[!-+\--:<-~]+$/

function policyRule(name: string): Rules[string] {
  return [
    (value) => value === false || (isRecord(value) && Object.keys(value).length > 0),
    `false or directives, such as { 'default-src': ["'self'"] }`,
    undefined,
    (directives) => cspProblems(name, directives),
  ]
}

/** Lists the mistakes of a policy; `name` is the option that holds it. */
function cspProblems(
  name: string,
  directives: Readonly<Record<string, unknown>>,
): readonly DefinitionProblem[] {
  const problem = (message: string, fix: string): readonly DefinitionProblem[] => [
    invalidOption(WHERE, `${name}${message}`, fix),
  ]
  const names = Object.keys(directives).map(toKebab)
  const twice = names.find((each, index) => names.indexOf(each) < index)
  if (twice !== undefined) return problem(` has the directive "${twice}" twice`, 'write it once')
  return Object.entries(directives).flatMap(([directive, sources]) => {
    if (!/^[a-z]+(?:-[a-z]+)*$/.test(toKebab(directive)))
      return problem(` has the directive "${directive}"`, "write names such as 'default-src'")
    if (sources === true) return []
    const at = `.${directive}`
    if (!Array.isArray(sources))
      return problem(
        `${at} is ${describeValue(sources)}`,
        `write a list of sources, such as ["'self'"], or true`,
      )
    const list: readonly unknown[] = sources
    return list.flatMap((source) => {
      if (typeof source !== 'string' || !SOURCE.test(source))
        return problem(
          `${at} has a source that cannot be sent`,
          'write each source on its own, without ; and ,',
        )
      return KEYWORD.test(source) ? problem(`${at} has ${source}`, `write "'${source}'"`) : []
    })
  })
}
