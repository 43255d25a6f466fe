import type { DefinitionProblem } from '../../base/definition-error.ts'
import { invalidOption, optionProblems, type Rules } from '../../base/check-options.ts'
import { METHOD_INDEX } from '../../http/http.ts'
import { parsePattern } from '../../router/path/pattern.ts'
import { describeValue, isRecord } from '../../base/values.ts'
import { PREFIX_RULE } from './prefix.ts'

const RULES: Rules = {
  path: PREFIX_RULE,
  exclude: [Array.isArray, "a list of paths, such as ['/health']"],
}

const EXCLUDED: Rules = {
  path: [() => true, 'a path'],
  method: [
    (value) =>
      [value].flat().length > 0 && [value].flat().every((method) => METHOD_INDEX.has(String(method))),
    "a method such as 'GET', or a list of methods",
  ],
}

/** Reports what cannot be used in `prefix`, written as an object. */
export function prefixProblems(prefix: unknown): readonly DefinitionProblem[] {
  if (!isRecord(prefix)) return []
  const { path, exclude } = prefix
  const missing = invalidOption('createApp', 'prefix.path is missing', `give ${PREFIX_RULE[1]}`)
  return [
    ...(path === undefined ? [missing] : []),
    ...optionProblems('createApp', prefix, RULES, 'prefix.'),
    ...(Array.isArray(exclude) ? exclude.flatMap(exclusionProblems) : []),
  ]
}

function exclusionProblems(given: unknown): readonly DefinitionProblem[] {
  const where = 'createApp'
  const excluded = typeof given === 'string' ? { path: given } : given
  if (!isRecord(excluded) || typeof excluded['path'] !== 'string') {
    const fix = "write '/health' or { method: 'GET', path: '/health' }"
    return [invalidOption(where, `prefix.exclude has ${describeValue(given)}`, fix)]
  }
  const pattern = parsePattern(excluded['path'])
  return [
    ...optionProblems(where, excluded, EXCLUDED, 'prefix.exclude.'),
    ...('segments' in pattern ? [] : pattern.map((problem) => ({ ...problem, where }))),
  ]
}
