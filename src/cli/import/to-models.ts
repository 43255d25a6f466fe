import { quotedText } from '../format.ts'
import { applyEdits, type Edit } from '../source-edits.ts'
import { toImportEdits } from '../write/history-edits.ts'
import { toDistinctName, toTypeName } from './import-names.ts'

/** A source whose objects are models. */
interface ModelSource {
  readonly text: string
  /** The constants that are models now. */
  readonly models: ReadonlySet<string>
}

/** Brackets, and code in which brackets are text. */
const TOKEN =
  /\/\/.*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[^])*`?|(?<=[(=,:[] ?)\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)+\/?|[([{}\]),]/g

/** A constant that is an object. */
const OBJECT = /^(?:export )?const (\w+) = z\s*\.object(?=\()/gm

/** A constant that is a model. */
const MODEL = /^(?:export )?const (\w+) = model\(\s*['"]([\w.-]+)/gm

/** A statement that says the name of a constant in documents. */
const REGISTERED = /^(?:z\.)?globalRegistry\.add\((\w+), (\{[^{}]*\})\);?\n/gm

/** Methods that say the name of an object, and what documents show of it. */
const NAMING = /^\s*\.(openapi|meta|describe|register)(?=\()/

/**
 * Turns objects into models in place: `z.object({ … }).openapi('Car')` is `model('Car', { … })`. Other constants stay as they are.
 *
 * @param taken the names of models, to which those of this source are added
 */
export function toModels(source: string, constants: readonly string[], taken: Set<string>): ModelSource {
  const models = new Set<string>()
  if (/\b(?:const|let|var|function|class) model\b/.test(source)) return { text: source, models }
  for (const [, constant = '', name = ''] of source.matchAll(MODEL)) {
    models.add(constant)
    taken.add(name)
  }
  const edits: Edit[] = []
  for (const { 0: found, 1: constant = '', index } of source.matchAll(OBJECT)) {
    const object = constants.includes(constant)
      ? readObject(source, constant, index + found.length)
      : undefined
    if (object === undefined) continue
    const own = object.name ?? toTypeName(constant.replace(/(?<=.)(?:Schema|Model)$/, ''))
    const name = toDistinctName(own, taken)
    taken.add(name)
    models.add(constant)
    const text = `model(${[quotedText(name), object.fields, ...object.meta].join(', ')})`
    edits.push({ start: index + found.search(/z\s*\.object$/), end: object.end, text }, ...object.removed)
  }
  if (edits.length === 0) return { text: source, models }
  const imports = toImportEdits(source, [['octavo/changes', ['model']]])
  return { text: applyEdits(source, [...edits, ...imports]), models }
}

interface WrittenObject extends Naming {
  readonly fields: string
  readonly end: number
  /** The statement that names it. */
  readonly removed: readonly Edit[]
}

/** Reads an object whose fields open at a place, or returns `undefined` if other methods make another schema of it. */
function readObject(source: string, constant: string, open: number): WrittenObject | undefined {
  const object = argumentsAt(source, open)
  const [fields, ...others] = object?.texts ?? []
  if (object === undefined || fields === undefined || others.length > 0) return undefined
  const method = NAMING.exec(source.slice(object.end))
  const later = [...source.matchAll(REGISTERED)].find((each) => each[1] === constant)
  const call = method === null ? undefined : argumentsAt(source, object.end + method[0].length)
  const end = call?.end ?? object.end
  if (/^\s*[.[(]/.test(source.slice(end))) return undefined
  if (method !== null) return withNaming({ fields, end, removed: [] }, toNaming(method[1], call?.texts ?? []))
  if (later === undefined) return { name: undefined, meta: [], fields, end, removed: [] }
  const removed = { start: later.index, end: later.index + later[0].length, text: '' }
  return withNaming({ fields, end, removed: [removed] }, toNaming('meta', later.slice(2)))
}

function withNaming(
  object: Omit<WrittenObject, keyof Naming>,
  naming: Naming | undefined,
): WrittenObject | undefined {
  return naming && { ...object, ...naming }
}

interface Naming {
  readonly name: string | undefined
  /** The metadata, if there is any. */
  readonly meta: readonly string[]
}

/** The name and the metadata that a method gives an object, or `undefined` if they are not literals. */
function toNaming(method: string | undefined, texts: readonly string[]): Naming | undefined {
  const [first = '', ...others] = texts
  const [, name] = /^['"]([A-Za-z_][\w.-]*)['"]$/.exec(first) ?? []
  const [, id] = /\bid: ?['"]([A-Za-z_][\w.-]*)['"]/.exec(texts.join(' ')) ?? []
  if (method === 'describe') return { name: undefined, meta: [`{ description: ${first} }`] }
  if (method === 'register') return first === 'z.globalRegistry' ? { name: id, meta: others } : undefined
  if (name !== undefined) return { name, meta: others }
  return first.startsWith('{') ? { name: id, meta: [first] } : undefined
}

/** The arguments of a call whose bracket opens at a place, and where it ends. */
function argumentsAt(
  source: string,
  open: number,
): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = []
  let depth = 0
  let start = open + 1
  for (const { 0: token, index } of source.slice(open).matchAll(TOKEN)) {
    const at = open + index
    if (token.length === 1 && '([{'.includes(token)) depth++
    if (token === ',' && depth === 1) {
      texts.push(source.slice(start, at).trim())
      start = at + 1
    }
    if (!')]}'.includes(token) || token.length > 1) continue
    depth--
    if (depth > 0) continue
    const last = source.slice(start, at).trim()
    return { texts: last === '' ? texts : [...texts, last], end: at + 1 }
  }
  return undefined
}
