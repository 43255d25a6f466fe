/* oxlint-disable complexity, max-depth -- a case for each kind of schema and of move */
import type { Random } from '../../fault/fuzz/random.ts'
import { applyMoves } from './world.ts'
import type { Entry, Kind, Move, ObjectSpec, StepSpec, World } from './world.ts'

type Values = Record<string, unknown>

/** A step as it applies to one object. */
interface Applied {
  readonly step: StepSpec
  readonly moves: readonly Move[]
  /** The fields behind it. */
  readonly older: readonly Entry[]
  readonly newer: readonly Entry[]
  readonly runs: boolean
  /** Whether the fields of its model may be left out in the object. */
  readonly isPartial: boolean
}

/** A value that an older version takes and the newest one refuses. */
export class Refused extends Error {}

/** What the rules of changes make of values, read from the data that a world is. It shares no code with what it checks. */
export class Reference {
  private readonly world: World
  private isResult = false
  /** What requests that were converted since it was emptied carry of fields that are kept, by the ids of changes. */
  readonly kept = new Map<string, Values>()

  constructor(world: World) {
    this.world = world
  }

  private objectOf(id: number): ObjectSpec {
    const found = this.world.objects[id]
    if (found === undefined) throw new Error(`no object ${id}`)
    return found
  }

  /** The steps that an object goes through from one version to another, newest first. */
  private applied(object: ObjectSpec, version: number, newer = 0): readonly Applied[] {
    return this.allApplied(object, version).filter(({ step }) => step.version >= newer)
  }

  private allApplied(object: ObjectSpec, version: number): readonly Applied[] {
    const model = this.objectOf(object.model)
    const isWhole =
      object.isRest === true ||
      model.entries.every(({ slot }) => object.entries.some((each) => each.slot === slot))
    let fields: readonly Entry[] = object.entries
    return this.world.steps.flatMap((step): readonly Applied[] => {
      const isGuest = step.model === object.guest
      if (step.model !== object.model && !isGuest) return []
      if (step.version >= version || step.not.includes(object.id)) return []
      const isPartial = object.isPartial || isGuest
      const has = (slot: number): boolean => fields.some((each) => each.slot === slot)
      const gone = step.moves.filter(({ t }) => t === 'gone')
      const here = gone.filter(({ slot }) => has(slot))
      const takesBorn = gone.length > 0 ? here.length === gone.length : isWhole && !isGuest
      const moves = step.moves.filter((move) => (move.t === 'born' ? takesBorn : has(move.slot)))
      if (moves.length === 0) return []
      const newer = fields
      const older = applyMoves(fields, moves).map((each): Entry =>
        each.wrap === 'none' &&
        (object.isPartial || (isGuest && moves.some(({ slot }) => slot === each.slot)))
          ? { ...each, wrap: 'maybe' }
          : each,
      )
      fields = older
      const runs = moves.some(({ t }) => t === 'gone' || t === 'born')
      return [{ step, moves, older, newer, runs, isPartial }]
    })
  }

  /** The fields of an object in a version. */
  fields(id: number, version: number): readonly Entry[] {
    const object = this.objectOf(id)
    return this.applied(object, version).at(-1)?.older ?? object.entries
  }

  /** Whether an object has fields that existed only before a change, in a version or a newer one. */
  bears(id: number, change: string, version: number): boolean {
    return this.applied(this.objectOf(id), version).some(
      ({ step, moves }) => step.change === change && moves.some(({ t }) => t === 'born'),
    )
  }

  isKey(id: number): boolean {
    return this.objectOf(id).isKey === true
  }

  isOpen(id: number): boolean {
    return this.objectOf(id).mode === 'loose'
  }

  /** Whether a field may be left out in a version. */
  isOptional(id: number, entry: Entry): boolean {
    return (
      entry.wrap === 'maybe' ||
      entry.wrap === 'default' ||
      entry.kind.t === 'maybe' ||
      entry.kind.t === 'default' ||
      this.objectOf(id).isPartial
    )
  }

  /** Makes a valid value of a version. */
  value(random: Random, kind: Kind, version: number, depth = 0): unknown {
    const inner = (of: Kind): unknown => this.value(random, of, version, depth + 1)
    const many = depth > 4 ? 0 : depth > 2 ? 1 : 3
    switch (kind.t) {
      case 'text':
        return random.pick(['x', 'yz', 'a b', 'q'])
      case 'wide':
        return random.chance(0.9) ? String(random.below(10_000)) : 'no digits'
      case 'digits':
        return String(random.below(10_000))
      case 'int':
        return random.below(10_000)
      case 'big':
        return random.below(200_000)
      case 'flag':
        return random.chance(0.5)
      case 'yesno':
        return random.pick(['yes', 'no'])
      case 'date':
        return new Date(1e12 + random.below(1e9) * 100)
      case 'instant':
        return new Date(1e12 + random.below(1e9) * 100).toISOString()
      case 'enum':
        return kind.values[random.below(kind.values.length)]
      case 'literal':
        return kind.value
      case 'object':
        return this.objectValue(random, kind.object, version, depth)
      case 'list':
        return Array.from({ length: random.below(many + 1) }, () => inner(kind.of))
      case 'record':
        return Object.fromEntries(
          Array.from({ length: random.below(many + 1) }, (_, at) => [`k${at}`, inner(kind.of)]),
        )
      case 'maybe':
        return depth > 4 || random.chance(0.4) ? undefined : inner(kind.of)
      case 'nullable':
        return depth > 4 || random.chance(0.3) ? null : inner(kind.of)
      case 'default':
        return random.chance(0.4) ? undefined : inner(kind.of)
      case 'lazy':
        return this.value(random, kind.of, version, depth)
      case 'boxed':
        return { v: inner(kind.of) }
      case 'tuple':
        return [
          ...kind.items.map(inner),
          ...(kind.rest === undefined
            ? []
            : Array.from({ length: random.below(2) }, () => inner(kind.rest ?? kind))),
        ]
      case 'choice':
        return this.objectValue(random, kind.options[random.below(kind.options.length)] ?? 0, version, depth)
      case 'either':
        return random.chance(0.3) ? 'word' : this.objectValue(random, kind.object, version, depth)
      case 'page':
        return { items: Array.from({ length: random.below(3) }, () => inner(kind.of)), next: null }
      case 'envelope':
        return { data: inner(kind.of) }
    }
  }

  /** Makes a value of the newest version that a handler may return: it may be one that only older versions accept. */
  result(random: Random, kind: Kind): unknown {
    this.isResult = true
    try {
      return this.value(random, kind, 0)
    } finally {
      this.isResult = false
    }
  }

  /** The kind of a field in results: what only older versions accept is stored beside all others. */
  private resultKind(random: Random, object: ObjectSpec, { slot, kind }: Entry): Kind {
    if (!this.isResult) return kind
    const accepting = this.applied(object, Infinity)
      .flatMap(({ moves }) => moves)
      .find((move) => move.t === 'turn' && move.slot === slot && move.isAccepted === true)
    return accepting?.t === 'turn' && random.chance(0.5) ? accepting.was : kind
  }

  private objectValue(random: Random, id: number, version: number, depth: number): unknown {
    const object = this.objectOf(id)
    const made: Values = {}
    const all = object.isPartial && random.chance(0.4)
    for (const entry of this.fields(id, version)) {
      if (entry.kind.t === 'literal' && !object.isPartial) {
        made[entry.name] = entry.kind.value
        continue
      }
      const isLeft = !all && (entry.wrap === 'maybe' || entry.wrap === 'default' || object.isPartial)
      if (isLeft && random.chance(0.4)) continue
      if (entry.wrap === 'nullable' && random.chance(0.3)) made[entry.name] = null
      else {
        const value = this.value(random, this.resultKind(random, object, entry), version, depth + 1)
        if (value !== undefined) made[entry.name] = value
      }
    }
    // a value of the newest version is one that its refinement takes
    if (version === 0 && object.refined !== undefined && made[object.refined] === 'q')
      made[object.refined] = 'x'
    if (object.mode === 'loose' && random.chance(0.4)) made['other'] = object.isFlat ? 'any' : { any: 1 }
    return made
  }

  /** What a version's schema makes of a valid value: defaults are completed. */
  parse(kind: Kind, value: unknown, version: number): unknown {
    if (kind.t === 'default') return value === undefined ? kind.value : this.parse(kind.of, value, version)
    return this.map(kind, value, version, (id, object) => {
      const made: Values = {}
      const fields = this.fields(id, version)
      for (const { name, kind: own, wrap, slot, value: completes } of fields) {
        let given = object[name]
        const turned = this.world.steps.some(
          (step) =>
            step.version < version && step.moves.some((move) => move.t === 'turn' && move.slot === slot),
        )
        if (given === undefined && wrap === 'default' && !turned) given = completes
        const isOwn = this.objectOf(id).entries.some((each) => each.slot === slot && each.kind === own)
        const isOpen = wrap === 'maybe' || wrap === 'default' || this.objectOf(id).isPartial
        if (given === undefined && isOpen && !(own.t === 'default' && isOwn)) continue
        const parsed = given === null && wrap === 'nullable' ? null : this.parse(own, given, version)
        if (parsed !== undefined) made[name] = parsed
      }
      return this.withOthers(id, object, made, fields)
    })
  }

  private withOthers(id: number, object: Values, made: Values, fields: readonly Entry[]): Values {
    if (!this.isOpen(id)) return made
    const others = Object.entries(object).filter(([key]) => !fields.some(({ name }) => name === key))
    return { ...made, ...Object.fromEntries(others) }
  }

  /** Turns a value of a version into that of a newer one, one version after the other. */
  up(kind: Kind, value: unknown, version: number, newer = 0): unknown {
    let made = value
    for (let at = version; at > newer; at--) made = this.upOne(kind, made, at)
    // a value of the newest version is one that its refinement takes
    return newer === 0 ? this.completed(kind, made, version > 0) : made
  }

  private upOne(kind: Kind, value: unknown, version: number): unknown {
    if (kind.t === 'default') return value === undefined ? value : this.upOne(kind.of, value, version)
    return this.map(kind, value, version, (id, object) => this.objectUp(id, object, version), 'upOne')
  }

  /** Completes the parts of models in a newest value, and refuses what their refinements refuse. */
  private completed(kind: Kind, value: unknown, isChecked: boolean): unknown {
    if (kind.t === 'default') return value === undefined ? value : this.completed(kind.of, value, isChecked)
    const each = (id: number, object: Values): Values => {
      const spec = this.objectOf(id)
      const made: Values = {}
      for (const { name, kind: own, wrap, value: completes } of spec.entries) {
        const given = object[name]
        if (given === undefined ? wrap === 'default' : wrap !== 'nullable' || given !== null)
          made[name] = given === undefined ? completes : this.completed(own, given, isChecked)
        else if (given !== undefined) made[name] = given
        if (made[name] === undefined) delete made[name]
      }
      if (isChecked && spec.refined !== undefined && made[spec.refined] === 'q')
        throw new Refused(spec.refined)
      return this.withOthers(id, object, made, spec.entries)
    }
    return this.map(kind, value, 0, each, (of, member) => this.completed(of, member, isChecked))
  }

  private objectUp(id: number, object: Values, version: number): Values {
    const spec = this.objectOf(id)
    const fields = this.fields(id, version)
    let values = new Map<string, unknown>()
    for (const { name, kind, wrap } of fields) {
      const given = object[name]
      const isNull = given === null && wrap === 'nullable'
      values.set(name, given === undefined || isNull ? given : this.upOne(kind, given, version))
    }
    const steps = this.applied(spec, version, version - 1)
    for (const { step, moves, older, newer, runs, isPartial } of steps.toReversed()) {
      const next = new Map<string, unknown>()
      this.keep(step, moves, older, values)
      refine(step, moves, older, values, isPartial)
      const made = runs ? this.groupUp({ isPartial }, step, moves, older, values) : {}
      for (const { name, slot, wrap, kind } of newer) {
        const before = older.find((each) => slot !== undefined && each.slot === slot)
        const move = moves.find((each) => slot !== undefined && each.slot === slot)
        if (slot === undefined) next.set(name, values.get(name))
        else if (move?.t === 'gone') next.set(name, made[name])
        else if (move?.t === 'turn') {
          const given = values.get(name)
          const skips =
            given === undefined
              ? wrap !== 'none' && wrap !== 'nullable'
              : given === null && wrap === 'nullable'
          if (!skips && move.isNarrowed === true && given === 'no digits') throw new Refused(name)
          next.set(name, skips || move.up === undefined ? given : move.up(given))
        } else next.set(name, values.get(before?.name ?? name))
        if (
          next.get(name) === undefined &&
          kind.t === 'default' &&
          wrap === 'none' &&
          !spec.isPartial &&
          move !== undefined &&
          move.t !== 'rename'
        )
          next.set(name, kind.value)
      }
      values = next
    }
    const made: Values = {}
    for (const { name } of this.fields(id, version - 1))
      if (values.get(name) !== undefined) made[name] = values.get(name)
    return this.withOthers(id, object, made, fields)
  }

  /** Notes what a request carries of fields that are kept. */
  private keep(
    { change }: StepSpec,
    moves: readonly Move[],
    older: readonly Entry[],
    values: ReadonlyMap<string, unknown>,
  ): void {
    const slots = moves.flatMap((move) => (move.t === 'born' && move.isKept === true ? [move.slot] : []))
    if (slots.length === 0) return
    const made: Values = { ...this.kept.get(change) }
    for (const { slot, name } of older)
      if (slot !== undefined && slots.includes(slot) && values.get(name) !== undefined)
        made[name] = values.get(name)
    this.kept.set(change, made)
  }

  private groupUp(
    { isPartial }: Pick<Applied, 'isPartial'>,
    step: StepSpec,
    moves: readonly Move[],
    older: readonly Entry[],
    values: ReadonlyMap<string, unknown>,
  ): Values {
    const args: Values = {}
    for (const move of moves) {
      if (move.t === 'gone') continue
      const entry = older.find(({ slot }) => slot === move.slot)
      if (entry !== undefined && values.get(entry.name) !== undefined)
        args[entry.name] = values.get(entry.name)
    }
    // a part that a newer rename leaves out has another name than the model, which the function is typed against
    for (const { name, slot } of step.reads) {
      const entry = older.find((each) => each.slot === slot)
      if (entry !== undefined && values.get(entry.name) !== undefined) args[name] = values.get(entry.name)
    }
    if (isPartial) {
      const born = moves.filter(({ t }) => t === 'born').map((move) => ('name' in move ? move.name : ''))
      const asked = [
        ...born,
        ...step.reads.map(({ slot }) => older.find((each) => each.slot === slot)?.name ?? ''),
      ]
      if (born.every((name) => values.get(name) === undefined)) return {}
      if (asked.some((name) => values.get(name) === undefined)) throw new Refused(asked.join())
    }
    return step.up === undefined ? {} : step.up(args)
  }

  /** Turns a value of a version into that of an older one, one version after the other. */
  down(kind: Kind, value: unknown, version: number, newer = 0): unknown {
    let made = value
    for (let at = newer; at < version; at++) made = this.downOne(kind, made, at)
    return made
  }

  private downOne(kind: Kind, value: unknown, version: number): unknown {
    if (kind.t === 'default') return value === undefined ? value : this.downOne(kind.of, value, version)
    return this.map(kind, value, version, (id, object) => this.objectDown(id, object, version), 'downOne')
  }

  private objectDown(id: number, object: Values, version: number): Values {
    const spec = this.objectOf(id)
    const before = this.fields(id, version)
    let values = new Map(before.map(({ name }) => [name, object[name]]))
    for (const { step, moves, older, newer, runs, isPartial } of this.applied(spec, version + 1, version)) {
      const next = new Map<string, unknown>()
      const made = runs ? this.groupDown({ isPartial }, step, moves, newer, values) : {}
      for (const { name, slot, wrap } of older) {
        const after = newer.find((each) => slot !== undefined && each.slot === slot)
        const move = moves.find((each) => slot !== undefined && each.slot === slot)
        if (slot === undefined) next.set(name, values.get(name))
        else if (move?.t === 'born') next.set(name, made[name])
        else if (move?.t === 'turn') {
          const given = values.get(name)
          const skips = given === undefined || (given === null && wrap === 'nullable')
          next.set(name, skips || move.down === undefined ? given : move.down(given))
        } else next.set(name, values.get(after?.name ?? name))
      }
      values = next
    }
    const made: Values = {}
    for (const { name, kind, wrap } of this.fields(id, version + 1)) {
      const own = values.get(name)
      const isNull = own === null && wrap === 'nullable'
      if (own !== undefined) made[name] = isNull ? null : this.downOne(kind, own, version)
    }
    return this.withOthers(id, object, made, before)
  }

  private groupDown(
    { isPartial }: Pick<Applied, 'isPartial'>,
    step: StepSpec,
    moves: readonly Move[],
    newer: readonly Entry[],
    values: ReadonlyMap<string, unknown>,
  ): Values {
    const args: Values = {}
    const asked: string[] = []
    const read = step.reads.map(({ slot, name }) => ({ slot, name, t: 'read' as const }))
    for (const { slot, t, ...own } of [...moves, ...read]) {
      const entry = newer.find((each) => each.slot === slot)
      if (entry === undefined) continue
      const name = t === 'read' && 'name' in own ? own.name : entry.name
      if (values.get(entry.name) !== undefined) args[name] = values.get(entry.name)
      if (t === 'gone' || t === 'read') asked.push(entry.name)
    }
    if (isPartial && asked.some((name) => values.get(name) === undefined)) return {}
    return step.down === undefined ? {} : step.down(args)
  }

  /** Walks to the objects in a value. Values are told apart as they are in the given direction. */
  private map(
    kind: Kind,
    value: unknown,
    version: number,
    each: (id: number, object: Values) => Values,
    way: 'upOne' | 'downOne' | 'parse' | ((of: Kind, member: unknown) => unknown) = 'parse',
  ): unknown {
    if (value === undefined || value === null) return value
    const go = (of: Kind, member: unknown): unknown =>
      typeof way === 'function' ? way(of, member) : this[way](of, member, version)
    switch (kind.t) {
      case 'object':
        return each(kind.object, value as Values)
      case 'list':
        return (value as readonly unknown[]).map((member) => go(kind.of, member))
      case 'record':
        return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, go(kind.of, member)]))
      case 'maybe':
      case 'nullable':
      case 'lazy':
        return go(kind.of, value)
      case 'boxed':
        return defined({ v: go(kind.of, (value as { v: unknown }).v) })
      case 'page':
        return {
          ...value,
          items: (value as { items: unknown[] }).items.map((member) => go(kind.of, member)),
        }
      case 'envelope':
        return defined({ data: go(kind.of, (value as { data: unknown }).data) })
      case 'tuple':
        return (value as readonly unknown[]).map((member, at) =>
          go(kind.items[at] ?? kind.rest ?? kind, member),
        )
      case 'choice': {
        const found = kind.options.find((id) => this.isOf(id, value as Values, version))
        return found === undefined ? value : each(found, value as Values)
      }
      case 'either':
        return typeof value === 'string' ? value : each(kind.object, value as Values)
      default:
        return value
    }
  }

  private isOf(id: number, value: Values, version: number): boolean {
    return this.fields(id, version).some(
      ({ name, kind }) => kind.t === 'literal' && value[name] === kind.value,
    )
  }
}

/** Runs the refinement of an older object that has all of what it gets. */
function refine(
  { refined, reads, moves: all }: StepSpec,
  moves: readonly Move[],
  older: readonly Entry[],
  values: ReadonlyMap<string, unknown>,
  isPartial: boolean,
): void {
  if (refined === undefined || all.some((move) => move.t !== 'gone' && !moves.includes(move))) return
  const slots = [...all.filter(({ t }) => t !== 'gone'), ...reads].map(({ slot }) => slot)
  const entries = slots.map((slot) => older.find((each) => each.slot === slot))
  if (entries.includes(undefined)) return
  if (isPartial && entries.some((entry) => values.get(entry?.name ?? '') === undefined)) return
  if (values.get(refined) === 'q') throw new Refused('the refinement')
}

function defined(value: Values): Values {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}
