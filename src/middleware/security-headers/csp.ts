import type { DefinitionProblem } from '../../definition-error.ts'
import { invalidOption } from '../../check-options.ts'

/**
 * The directives of a Content Security Policy by name, as `'default-src'` or `defaultSrc`: a list of sources, or `true` for a
 * directive that takes none.
 */
export type CspDirectives = Readonly<Record<string, readonly string[] | true>>

/** Writes directives as the value of a header. */
export function toPolicy(directives: CspDirectives): string {
  return Object.entries(directives)
    .map(([name, sources]) => (sources === true ? toKebab(name) : [toKebab(name), ...sources].join(' ')))
    .join(';')
}

const KEYWORD =
  /^(?:self|none|unsafe-inline|unsafe-eval|unsafe-hashes|wasm-unsafe-eval|strict-dynamic|report-sample|(?:nonce|sha256|sha384|sha512)-.*)$/

/** Visible ASCII without what ends a source, a directive or a header. */
const SOURCE = /^[!-+\--:<-~]+$/

/** What is wrong with a policy; `name` is the option that holds it. */
export function policyProblems(
  where: string,
  name: string,
  directives: unknown,
): readonly DefinitionProblem[] {
  if (directives === undefined || directives === false) return []
  const problem = (message: string, fix: string): readonly DefinitionProblem[] => [
    invalidOption(where, `${name}${message}`, fix),
  ]
  if (!isRecord(directives) || Object.keys(directives).length === 0)
    return problem(' is not a policy', `give false or directives, such as { 'default-src': ["'self'"] }`)
  const names = Object.keys(directives).map(toKebab)
  const twice = names.find((each, index) => names.indexOf(each) < index)
  if (twice !== undefined) return problem(` has the directive "${twice}" twice`, 'write it once')
  return Object.entries(directives).flatMap(([directive, sources]) => {
    if (!/^[a-z]+(?:-[a-z]+)*$/.test(toKebab(directive)))
      return problem(` has the directive "${directive}"`, "write names such as 'default-src'")
    if (sources === true) return []
    const at = `.${directive}`
    if (directive === 'directives' && isRecord(sources))
      return problem(
        ` has the directive "directives"`,
        "write what it holds in its place: { 'default-src': […] }",
      )
    if (!Array.isArray(sources)) return problem(`${at} is no list of sources`, 'give a list, or true')
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
