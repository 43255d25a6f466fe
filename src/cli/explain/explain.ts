import type { Arguments, Setting } from '../command.ts'
import type { Explanation, RoutePositions } from '../../changes/check/explain.ts'
import { ask } from '../job.ts'
import { styleFor, type Style } from '../../base/style.ts'
import { toTable } from '../table.ts'

/** Prints the positions that the changes of an application reach. Returns the exit code. */
export async function explainVersions(given: Arguments, setting: Setting): Promise<number> {
  const explanation = await ask(given.positionals[0], { task: 'explain' }, setting)
  if (explanation === undefined) return 1
  const text = given.has('json')
    ? JSON.stringify(explanation, undefined, 2)
    : formatExplanation(explanation, styleFor(process.stdout))
  process.stdout.write(`${text}\n`)
  return 0
}

function formatExplanation({ changes, nearMisses }: Explanation, style: Style): string {
  if (changes.length === 0) return 'The app has no changes.'
  const lines = changes.flatMap(({ version, title, at, reaches }) => [
    [style.cyan(version), style.bold(title), ...(at === undefined ? [] : [style.dim(at)])].join('  '),
    ...(reaches.length === 0 ? ['  reaches no route'] : toRows(reaches)),
    '',
  ])
  if (nearMisses.length === 0) return lines.slice(0, -1).join('\n')
  return [
    ...lines,
    style.yellow('Schemas that look like a model but that no change reaches'),
    ...nearMisses.flatMap((miss) => [
      ...toRows([miss]),
      `    has ${miss.fields.join(', ')} like ${miss.model}, but is not made from it`,
    ]),
    '',
    'Create them with derive(Model, …) or list them in applies of the change. If they are unrelated, list them in not.',
  ].join('\n')
}

function toRows(rows: readonly RoutePositions[]): readonly string[] {
  const [, ...lines] = toTable(
    [{ title: '' }, { title: '' }],
    rows.map(({ route, positions }) => [route === '' ? 'history' : route, positions.join(', ')]),
  )
  return lines.map((line) => `  ${line}`)
}
