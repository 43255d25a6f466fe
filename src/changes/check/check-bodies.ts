import { ignoreRejection, isPromise, isString, messageOf, toRecord } from '../../base/values.ts'
import { isSchema, objectShape, toObjectSchema, type Schema } from '../../schema/schema.ts'
import { reformatsOf } from '../operations/errors-before.ts'
import { zod } from '../zod.ts'
import { absent, type Absent } from '../was.ts'
import type { AnyChange } from '../chain.ts'
import type { Plans } from '../convert/plans.ts'
import { operationsOf } from '../expand.ts'
import {
  bodiesOf,
  bodyLabel,
  isAbsent,
  isRequest,
  type BodyChange,
  type BodyKey,
} from '../operations/bodies.ts'
import { routeLabel, type Operation } from '../operations/operation.ts'
import { becamePage } from '../operations/paged.ts'
import { strayOf } from '../operations/whole-input.ts'
import { createRandom } from './random.ts'
import { hintsOf } from './edges.ts'
import { show, validated, valuesOf } from './values.ts'

interface Wrong {
  readonly code: 'unchecked' | 'failed' | 'unfit' | 'narrower' | 'one_page'
  readonly message: string
  readonly fix: string
}

/** Something wrong with a whole body. */
interface BodyFinding extends Wrong {
  readonly change: AnyChange
  /** The name of the route. */
  readonly model: string
  readonly fields: readonly string[]
}

/** Checks the functions of whole bodies with generated values: each result has to fit the schema of the other side. */
export function checkBodies(
  changes: readonly AnyChange[],
  { planOf, timeOf }: Plans,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): readonly BodyFinding[] {
  const reformats = reformatsOf(changes).flatMap(({ order, change, reformat: { now, was, down } }) => {
    const time = timeOf(order)
    const found = checkBody(
      ANY_ERROR,
      {
        now: now === undefined ? problemSchema({}) : (planOf(now, time)?.wire ?? now),
        was: planOf(was, time, time)?.wire ?? was,
        convert: (value, extra) => down(value, { ...extra, status: ANY_ERROR }),
        narrowed: false,
      },
      { seed, runs },
      'reformatErrors',
    )
    return found === undefined ? [] : [{ ...found, change, model: 'errors', fields: ['reformatErrors'] }]
  })
  const operations = operationsOf(changes).flatMap(({ change, order, operation }) => [
    ...checkErrors(operation, { seed, runs }).map((found) => ({
      ...found,
      change,
      model: routeLabel(operation),
    })),
    ...checkInput(operation, { seed, runs }).map((found) => ({
      ...found,
      change,
      model: routeLabel(operation),
      fields: ['input'],
    })),
    ...[...bodiesOf(operation)].flatMap(([key, body]): readonly BodyFinding[] => {
      const time = timeOf(order)
      const now = planOf(body.now, time)?.wire ?? body.now
      const was = isAbsent(body.was) ? body.was : (planOf(body.was, time, time)?.wire ?? body.was)
      const found = onePage(operation, key, body) ?? checkBody(key, { ...body, now, was }, { seed, runs })
      return found === undefined
        ? []
        : [{ ...found, change, model: routeLabel(operation), fields: [bodyLabel(key)] }]
    }),
  ])
  return [...operations, ...reformats]
}

/** The status of errors in which a format is checked. */
const ANY_ERROR = 400

/** The schema of a problem document with further members. */
function problemSchema(members: Readonly<Record<string, Schema>>): Schema {
  const text = zod.string()
  return toObjectSchema({
    type: text,
    title: text,
    status: zod.int().min(400).max(599),
    detail: text.optional(),
    code: text,
    ...members,
  })
}

/** Calls the functions of errors whose problems are known with generated members. */
function checkErrors(
  { errors = {} }: Operation,
  options: { readonly seed: number; readonly runs: number },
): readonly (Wrong & { readonly fields: readonly string[] })[] {
  return Object.entries(errors).flatMap(([code, { now, was, down }]) => {
    if (now === undefined || down === undefined) return []
    const members = now.members === undefined ? {} : objectShape(now.members)
    const older = isString(was) ? undefined : was?.members
    const found = checkBody(
      now.status,
      {
        now: problemSchema(members),
        was: older ?? zod.looseObject({}),
        convert: (value, extra) => down(toRecord(value), extra),
        narrowed: false,
      },
      options,
      `errors.${code}`,
    )
    return found === undefined ? [] : [{ ...found, fields: [`errors.${code}`] }]
  })
}

/** Calls the function of a whole input with generated values: what it returns has to name its sources. The newest schemas are not known here. */
function checkInput({ input }: Operation, { seed, runs }: { seed: number; runs: number }): readonly Wrong[] {
  if (input === undefined) return []
  const sources = Object.entries(input.was).flatMap(([name, was]) =>
    isSchema(was) ? [[name, valuesFor('body', { now: absent, was }, { seed, runs })] as const] : [],
  )
  for (let run = 0; run < runs; run++) {
    const old = Object.fromEntries(sources.map(([name, values]) => [name, values[run % values.length]]))
    try {
      const made: unknown = input.up(old, {})
      if (isPromise(made)) {
        ignoreRejection(made)
        return [failed('input', 'up', 'it returned a promise')]
      }
      const mistake = strayOf(made, Object.keys(input.was))
      if (mistake !== undefined) return [failed('input', 'up', `it ${mistake}`)]
    } catch (error) {
      return [failed('input', 'up', `it threw: ${messageOf(error)}`)]
    }
  }
  return []
}

/** Finds a list that became a page, of which older clients get the items alone. */
function onePage(
  { paged }: Operation,
  key: BodyKey,
  { now, was }: Pick<BodyChange, 'now' | 'was'>,
): Wrong | undefined {
  if (paged !== undefined || isRequest(key) || isAbsent(was) || !becamePage(now, was)) return undefined
  return {
    code: 'one_page',
    message: `${bodyLabel(key)} was a list and is a page, so older clients get the items of one page as if they were all`,
    fix: 'Write `paged: { now, was, atMost }` in place of it, which reads all pages.',
  }
}

function checkBody(
  key: BodyKey,
  body: Omit<BodyChange, 'change'>,
  { seed, runs }: { readonly seed: number; readonly runs: number },
  label = bodyLabel(key),
): Wrong | undefined {
  const { now, was, convert, loader, narrowed } = body
  const [side, target] = isRequest(key) ? ['up', now] : ['down', was]
  if (isAbsent(target)) return undefined
  if (loader !== undefined)
    return {
      code: 'unchecked',
      message: `${label} is not checked, because the change loads data`,
      fix: 'Test the function.',
    }
  const values = valuesFor(key, body, { seed, runs })
  if (values.length === 0) {
    const message = `no value of ${label} could be made, so the change is not checked`
    return {
      code: 'unchecked',
      message,
      fix: 'Write a schema of which values can be made, or test the function.',
    }
  }
  for (const value of values) {
    let made
    try {
      made = convert === undefined ? value : convert(value, { loaded: undefined })
    } catch (error) {
      return failed(label, side, `it threw: ${messageOf(error)}`)
    }
    if (isPromise(made)) {
      ignoreRejection(made)
      return failed(label, side, 'it returned a promise')
    }
    if (narrowed || validated(target, made) !== undefined) continue
    if (convert !== undefined)
      return {
        code: 'unfit',
        message: `${side} makes ${label} ${show(made)}, which its schema refuses`,
        fix: 'Return a value that the schema of the other side accepts.',
      }
    return {
      code: isRequest(key) ? 'unfit' : 'narrower',
      message: `${label} can be ${show(made)}, which ${isRequest(key) ? '`now`' : '`was`'} refuses, and there is no ${side}`,
      fix: `Write \`${side}\`, or make the schemas fit.`,
    }
  }
  return undefined
}

function failed(label: string, side: string, reason: string): Wrong {
  return {
    code: 'failed',
    message: `${side} of ${label} fails: ${reason}`,
    fix: 'Return a value for every input that its schema accepts.',
  }
}

/** Values of the schema that a function gets. */
function valuesFor(
  key: BodyKey,
  { now, was }: { readonly now: Schema | Absent; readonly was: Schema | Absent },
  { seed, runs }: { readonly seed: number; readonly runs: number },
): readonly unknown[] {
  const [given, target] = isRequest(key) ? [was, now] : [now, was]
  if (isAbsent(given)) return [undefined]
  const hints = [given, ...(isAbsent(target) ? [] : [target])].flatMap(hintsOf)
  return valuesOf(given, { random: createRandom(seed), hints }, runs).flatMap((value) => {
    // functions get what the schema made of a value
    const parsed = validated(given, value)
    return parsed === undefined ? [] : [parsed.value]
  })
}
