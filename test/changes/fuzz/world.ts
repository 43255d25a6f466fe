/* oxlint-disable complexity, max-depth -- it chooses among everything that a history may have */
import type { Random } from '../../fault/fuzz/random.ts'

/** A schema, as data: what builds schemas and what the reference reads. */
export type Kind =
  // `wide` is a text that is mostly digits, and `big` a number that may be larger than an `int`
  | { readonly t: 'text' | 'digits' | 'wide' | 'int' | 'big' | 'flag' | 'yesno' | 'date' | 'instant' }
  | { readonly t: 'enum'; readonly values: readonly string[] }
  | { readonly t: 'object'; readonly object: number }
  | { readonly t: 'list' | 'record' | 'maybe' | 'nullable' | 'lazy' | 'boxed'; readonly of: Kind }
  | { readonly t: 'default'; readonly of: Kind; readonly value: unknown }
  | { readonly t: 'tuple'; readonly items: readonly Kind[]; readonly rest: Kind | undefined }
  | { readonly t: 'choice'; readonly options: readonly number[] }
  | { readonly t: 'either'; readonly object: number }
  | { readonly t: 'page' | 'envelope'; readonly of: Kind }
  | { readonly t: 'literal'; readonly value: string }

/** What an object puts around a field of its model. */
export type Wrap = 'none' | 'maybe' | 'nullable' | 'default'

export interface Entry {
  readonly name: string
  /** The number of a field of a model, through all versions. */
  readonly slot: number | undefined
  readonly kind: Kind
  readonly wrap: Wrap
  /** The default of `wrap`. */
  readonly value?: unknown
  /** Whether it is a field of another model than the others. */
  readonly isGuest?: boolean
}

/** A model, or a part of one. */
export interface ObjectSpec {
  readonly id: number
  /** Its model; itself if it is one. */
  readonly model: number
  readonly name: string
  readonly entries: readonly Entry[]
  readonly mode: 'strip' | 'strict' | 'loose'
  readonly isPartial: boolean
  /** A text field that may not be `q`: a refinement of the whole object. */
  readonly refined?: string
  /** Whether `derive` makes it. */
  readonly isDerived: boolean
  /** Whether `omit` makes it, which leaves fields that existed only in older versions. Otherwise `pick` does. */
  readonly isRest?: boolean
  /** Whether it has fields of its own like those of its model, so that changes reach it by `applies` alone. */
  readonly isCopy?: boolean
  /** The other model of which it has one optional field. */
  readonly guest?: number
  /** Whether all of its values can be written as text. */
  readonly isFlat: boolean
  /** Whether it is what paths carry: no change adds or removes a field of it. */
  readonly isKey?: boolean
}

export type Move =
  | { readonly t: 'rename'; readonly slot: number; readonly now: string; readonly was: string }
  | {
      readonly t: 'turn'
      readonly slot: number
      readonly name: string
      readonly now: Kind
      readonly was: Kind
      readonly up: ((old: unknown) => unknown) | undefined
      readonly down: ((now: unknown) => unknown) | undefined
      /** Whether values that the newer schema refuses are a mistake of the client. */
      readonly isNarrowed?: boolean
      /** Whether older values that the newer schema refuses reach the handler. */
      readonly isAccepted?: boolean
    }
  | { readonly t: 'gone'; readonly slot: number; readonly name: string; readonly kind: Kind }
  | {
      readonly t: 'born'
      readonly slot: number
      readonly name: string
      readonly kind: Kind
      /** Whether handlers get what older requests carry of it. */
      readonly isKept?: boolean
    }

type Values = Readonly<Record<string, unknown>>

export interface StepSpec {
  /** The place of the version that has the change. */
  readonly version: number
  readonly change: string
  readonly model: number
  /** The change that it is written against. */
  readonly before: string | undefined
  readonly moves: readonly Move[]
  readonly reads: readonly { readonly name: string; readonly slot: number }[]
  readonly up: ((old: Values) => Values) | undefined
  readonly down: ((now: Values) => Values) | undefined
  readonly not: readonly number[]
  /** A text on the older side that may not be `q`: a refinement of the whole object. */
  readonly refined?: string
  /** Whether it loads what `up` and `down` need. */
  readonly isLoading?: boolean
}

/** A whole body that was another one. */
export interface WholeSpec {
  readonly now: Kind
  readonly was: Kind
  readonly up: (old: unknown) => unknown
  readonly down: (now: unknown) => unknown
}

export interface RouteSpec {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** Whether the path has the prefix of the controller. */
  readonly isWholePath?: boolean
  readonly params: number | undefined
  readonly body: Kind | undefined
  readonly form: number | undefined
  readonly query: number | undefined
  readonly headers: number | undefined
  readonly responses: readonly ResponseSpec[]
  /** Whether documents leave it out. */
  readonly isHidden: boolean
  readonly operations: readonly OperationSpec[]
  /** Whether the oldest version of its path and method is written by hand. */
  readonly hasHand: boolean
  /** The newest parameters that operations change, if newer ones changed them before. */
  readonly page?: { readonly name: string | undefined; readonly limit: LimitKind | 'newest' | undefined }
}

export interface ResponseSpec {
  readonly status: number
  /** What declares the status. */
  readonly key: number | '4XX' | 'default'
  readonly kind: Kind
}

/** How `limit` was another parameter: wider, a word, missing, or made by a function that makes nothing useful. */
export type LimitKind = 'wide' | 'word' | 'absent' | 'bad'

export interface OperationSpec {
  readonly version: number
  readonly change: string
  readonly path: string | undefined
  readonly method: RouteSpec['method'] | undefined
  readonly status: { readonly now: number; readonly was: number } | undefined
  /** `was` is `undefined` for a header that did not exist. */
  readonly header: { readonly now: string; readonly was: string | undefined } | undefined
  readonly parameter: { readonly now: string; readonly was: string } | undefined
  readonly limit: LimitKind | undefined
  readonly body?: WholeSpec | undefined
  readonly answer?: (WholeSpec & { readonly status: number }) | undefined
  /** What the error `lost` was. */
  readonly error?: ErrorSpec | undefined
}

export interface ErrorSpec {
  /** The newest code. @default `lost` */
  readonly now?: string
  readonly was: string | undefined
  readonly status: number | undefined
  /** Whether a function adds a member to its problem. */
  readonly isMarked: boolean
}

/** A random history: models, parts, changes and routes. */
export interface World {
  /** Newest first. */
  readonly versions: readonly string[]
  readonly objects: readonly ObjectSpec[]
  /** Newest first. */
  readonly steps: readonly StepSpec[]
  /** Whether the oldest change is listed first. */
  readonly isReversed: boolean
  readonly routes: readonly RouteSpec[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Writes a value so that equal values are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(
          Object.entries(each)
            .filter(([, member]) => member !== undefined)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : each,
  )
}

/** Writes the arguments of a function, absent members included. */
export function shown(values: Values): string {
  return `${Object.keys(values).toSorted().join()} ${canonical(values)}`
}

/** The kinds of fields that stand in objects of another model. */
const GUESTS: ReadonlySet<string> = new Set(['text', 'digits', 'int', 'flag', 'enum', 'instant'])

const SCALARS = ['text', 'digits', 'int', 'flag', 'yesno', 'instant', 'date'] as const

/** Makes a random history. One with everything has whole bodies, refinements and loads, too. */
export function createWorld(random: Random, hasEverything = false): World {
  return new Maker(random, hasEverything).make()
}

class Maker {
  private slots = 0
  private names = 0
  private readonly objects: ObjectSpec[] = []
  private readonly steps: StepSpec[] = []
  private readonly freed: string[] = []
  /** The fields that each part has at the version that is being written. */
  private readonly alive = new Map<number, Set<number | undefined>>()
  /** The fields of each part that changes touched which do not reach it. */
  private readonly stale = new Map<number, Set<number>>()
  private readonly random: Random
  private readonly isReversed: boolean
  private readonly hasEverything: boolean

  constructor(random: Random, hasEverything: boolean) {
    this.random = random
    this.hasEverything = hasEverything
    this.isReversed = random.chance(0.5)
  }

  make(): World {
    const { random } = this
    const versions = random.pick([
      ['2', '1'],
      ['3', '2', '1'],
      ['10', '9', '1.1', '1'],
      ['5', '4', '3', '2', '1'],
    ])
    const models = 2 + random.below(3)
    for (let at = 0; at < models; at++) this.model(at < 1)
    const whole = [...this.objects]
    if (random.chance(0.4)) this.key()
    const changed = [...this.objects]
    const parts = 1 + random.below(4)
    for (let at = 0; at < parts; at++) this.part(whole[random.below(whole.length)], whole)
    for (const model of whole) if (random.chance(0.3)) this.copy(model)
    this.history(changed, versions.length)
    return {
      versions,
      objects: this.objects,
      steps: this.steps,
      isReversed: this.isReversed,
      routes: this.routes(versions.length),
    }
  }

  private name(): string {
    // a name of one model may be that of a guest, and in another order it is not free yet
    const isTaken = this.isReversed || this.objects.some(({ guest }) => guest !== undefined)
    const [old] = isTaken ? [] : this.freed
    if (old !== undefined && this.random.chance(0.2)) return this.freed.shift() ?? old
    this.names++
    return `f${this.names}`
  }

  private scalar(): Kind {
    const { random } = this
    if (random.chance(0.2)) return { t: 'enum', values: ['a', 'b', 'c', 'd'].slice(0, 2 + random.below(3)) }
    return { t: random.pick([...SCALARS]) }
  }

  private kind(depth: number, isFlat: boolean): Kind {
    const { random } = this
    if (isFlat) return random.chance(0.2) ? { t: 'maybe', of: this.scalar() } : this.scalar()
    if (depth > 2 || random.chance(0.4)) return this.scalar()
    const inner = (): Kind => this.kind(depth + 1, false)
    const known = this.objects.length
    const pick = random.below(13)
    if (pick < 4 && known > 0) return { t: 'object', object: random.below(depth === 0 ? known + 1 : known) }
    if (pick === 4) return { t: 'list', of: inner() }
    if (pick === 5) return { t: 'record', of: inner() }
    if (pick === 6) return { t: 'nullable', of: inner() }
    if (pick === 7)
      return { t: 'tuple', items: [inner(), inner()], rest: random.chance(0.4) ? inner() : undefined }
    if (pick === 8 && known > 0) return { t: 'either', object: random.below(known) }
    if (pick === 9 && known > 1)
      return { t: 'choice', options: random.chance(0.5) ? [known - 2, known - 1] : [0, known - 1] }
    if (pick === 10) return { t: 'list', of: { t: 'lazy', of: { t: 'object', object: known } } }
    if (pick === 11) return { t: 'lazy', of: inner() }
    return { t: 'boxed', of: inner() }
  }

  private model(isFlat: boolean): void {
    const { random } = this
    const id = this.objects.length
    const count = 2 + random.below(4)
    const entries: Entry[] = [this.entry('kind', { t: 'literal', value: `m${id}` })]
    for (let at = 0; at < count; at++) {
      let kind = this.kind(0, isFlat)
      if (kind.t === 'object' && kind.object === id) kind = { t: 'maybe', of: kind }
      else if (!isFlat && kind.t !== 'maybe' && random.chance(0.15)) kind = { t: 'maybe', of: kind }
      else if (kind.t === 'text' && random.chance(0.3)) kind = { t: 'default', of: kind, value: 'dflt' }
      entries.push(this.entry(this.name(), kind))
    }
    this.objects.push({
      id,
      model: id,
      name: `M${id}`,
      entries,
      mode: 'strip',
      isPartial: false,
      isDerived: false,
      isFlat,
    })
  }

  private key(): void {
    const id = this.objects.length
    const count = 1 + this.random.below(2)
    const entries = Array.from({ length: count }, () => this.entry(this.name(), this.scalar()))
    const own = { id, model: id, name: `M${id}`, entries, mode: 'strip', isPartial: false } as const
    this.objects.push({ ...own, isDerived: false, isFlat: true, isKey: true })
  }

  private entry(name: string, kind: Kind): Entry {
    return { name, slot: this.slots++, kind, wrap: 'none' }
  }

  private part(model: ObjectSpec | undefined, whole: readonly ObjectSpec[]): void {
    if (model === undefined) return
    const { random } = this
    const id = this.objects.length
    const part: Mutable<ObjectSpec> = { ...model, id, name: `P${id}`, isDerived: random.chance(0.6) }
    if (random.chance(0.6))
      part.entries = part.entries.filter((_, index) => index === 0 || random.chance(0.6))
    part.isRest = random.chance(0.5)
    if (random.chance(0.3)) {
      part.isPartial = true
      part.entries = part.entries.map((entry) => ({ ...entry, wrap: 'maybe' }))
    } else if (random.chance(0.4)) {
      const at = random.below(part.entries.length)
      part.entries = part.entries.map((entry, index) =>
        index === at && entry.slot !== undefined && entry.kind.t !== 'literal' ? this.wrapped(entry) : entry,
      )
    }
    if (random.chance(0.4)) {
      const extra: Entry = { name: this.name(), slot: undefined, kind: this.scalar(), wrap: 'none' }
      part.entries = [...part.entries, part.isPartial ? { ...extra, wrap: 'maybe' } : extra]
    }
    const other = whole[random.below(whole.length)]
    const guest = other?.entries.find(({ kind }) => GUESTS.has(kind.t))
    if (
      other !== undefined &&
      other !== model &&
      guest !== undefined &&
      !part.isPartial &&
      random.chance(0.4)
    ) {
      part.entries = [...part.entries, { ...guest, wrap: 'maybe', isGuest: true }]
      part.guest = other.id
    }
    part.mode = random.pick(['strip', 'strip', 'strict', 'loose'])
    const text = part.entries.find(
      ({ kind, slot, isGuest }) => kind.t === 'text' && slot !== undefined && isGuest !== true,
    )
    if (text !== undefined && random.chance(0.5)) part.refined = text.name
    this.objects.push(part)
  }

  private copy(model: ObjectSpec): void {
    // a wrapper of a copy is its own, and not that of its model
    if (model.entries.some(({ kind }) => ['maybe', 'nullable', 'default'].includes(kind.t))) return
    const id = this.objects.length
    const mode = this.random.pick(['strip', 'strict', 'loose'] as const)
    this.objects.push({ ...model, id, name: `C${id}`, mode, isCopy: true })
  }

  private wrapped(entry: Entry): Entry {
    const { random } = this
    const wrap = random.pick<Wrap>(['maybe', 'nullable', 'default'])
    if (wrap !== 'default') return { ...entry, wrap }
    return entry.kind.t === 'text' || entry.kind.t === 'digits' ? { ...entry, wrap, value: '7' } : entry
  }

  /** Writes changes, newest first, and keeps what each model was. */
  private history(models: readonly ObjectSpec[], versions: number): void {
    const { random } = this
    const states = new Map(models.map((model) => [model.id, [...model.entries]]))
    const touched = new Map<number, Map<number, number>>()
    const order = new Map<number, string[]>()
    let count = 0
    for (let version = 0; version < versions - 1; version++) {
      const changes = 1 + random.below(2)
      for (let each = 0; each < changes; each++) {
        const change = `c${count++}`
        for (const model of models) {
          if (!random.chance(each === 0 ? 0.6 : 0.4)) continue
          const state = states.get(model.id) ?? []
          const done = touched.get(model.id) ?? new Map<number, number>()
          const own = order.get(model.id) ?? []
          touched.set(model.id, done)
          order.set(model.id, own)
          const step = this.step({ change, version, model, state, done, own })
          if (step === undefined) continue
          states.set(model.id, applyMoves(state, step.moves))
          own.push(change)
          for (const { slot } of step.moves) done.set(slot, own.length - 1)
          this.steps.push(step)
        }
      }
    }
  }

  private step({
    change,
    version,
    model,
    state,
    done,
    own,
  }: {
    readonly change: string
    readonly version: number
    readonly model: ObjectSpec
    readonly state: readonly Entry[]
    readonly done: ReadonlyMap<number, number>
    readonly own: readonly string[]
  }): StepSpec | undefined {
    const { random } = this
    const free = state.filter(({ kind }) => kind.t !== 'literal')
    const moves: Move[] = []
    const taken = new Set<number>()
    const take = (): Entry | undefined => {
      const left = free.filter(({ slot }) => slot !== undefined && !taken.has(slot))
      const found = left[random.below(left.length)]
      if (found?.slot !== undefined) taken.add(found.slot)
      return found
    }
    const slotOf = (entry: Entry): number => entry.slot ?? -1
    if (random.chance(0.5)) {
      const entry = random.chance(0.1) ? state.find(({ kind }) => kind.t === 'literal') : take()
      if (entry?.slot !== undefined) taken.add(entry.slot)
      if (entry !== undefined)
        moves.push({ t: 'rename', slot: slotOf(entry), now: entry.name, was: this.name() })
    }
    for (let at = random.below(3); at > 0; at--) {
      const entry = take()
      const isText = model.isFlat || (entry !== undefined && this.isInOthers(entry))
      const turn = entry === undefined ? undefined : (this.accepted(entry) ?? this.turn(entry.kind, isText))
      if (entry !== undefined && turn !== undefined)
        moves.push({ t: 'turn', slot: slotOf(entry), name: entry.name, now: entry.kind, ...turn })
    }
    let up: StepSpec['up']
    let down: StepSpec['down']
    let reads: StepSpec['reads'] = []
    const shape = model.isKey === true ? 7 : random.below(8)
    if (shape === 0 && !model.isFlat) {
      const gone = [take(), take()].filter((each) => each !== undefined)
      const name = this.name()
      const kinds = gone.map(({ kind }) => kind)
      if (gone.length > 0 && gone.every(({ kind }) => isRequired(kind))) {
        moves.push({
          t: 'born',
          slot: this.slots++,
          name,
          kind: { t: 'tuple', items: kinds, rest: undefined },
        })
        moves.push(
          ...gone.map((entry): Move => ({
            t: 'gone',
            slot: slotOf(entry),
            name: entry.name,
            kind: entry.kind,
          })),
        )
        const names = gone.map((entry) => entry.name)
        up = (old) => {
          const list = old[name] as readonly unknown[]
          return Object.fromEntries(names.map((each, index) => [each, list[index]]))
        }
        down = (now) => ({ [name]: names.map((each) => now[each]) })
      }
    } else if (shape < 4) {
      const entry = take()
      const isText = entry?.kind.t === 'text'
      const readable = free.filter(({ slot }) => slot !== undefined && !taken.has(slot))
      const read = random.chance(0.5) ? readable[random.below(readable.length)] : undefined
      reads = read?.slot === undefined ? [] : [{ name: read.name, slot: read.slot }]
      if (entry !== undefined && (isText || entry.kind.t === 'maybe')) {
        moves.push({ t: 'gone', slot: slotOf(entry), name: entry.name, kind: entry.kind })
        if (isText) up = (old) => ({ [entry.name]: `up ${shown(old)}` })
      }
      if (random.chance(0.5)) {
        const name = this.name()
        moves.push({ t: 'born', slot: this.slots++, name, kind: { t: 'text' } })
        down = (now) => ({ [name]: `down ${shown(now)}` })
      }
    }
    if (up !== undefined || down !== undefined) this.separate(model, moves)
    if (moves.length === 0) return undefined
    if (up === undefined && down === undefined) reads = []
    const last = Math.max(
      -1,
      ...[...taken, ...reads.map(({ slot }) => slot)].map((slot) => done.get(slot) ?? -1),
    )
    const isFree = last === -1 && this.isNameable(model, moves, reads)
    const isBorn = moves.some(({ t }) => t === 'born')
    const nearest = last === -1 || isBorn || this.isReversed || random.chance(0.5) ? own.at(-1) : own[last]
    // in another order, the state before a change has only what that one is written against
    const isChained =
      this.isReversed && this.steps.some((each) => each.change === own.at(-1) && each.version === version)
    const before = isChained ? own.at(-1) : isFree && random.chance(0.7) ? undefined : nearest
    // functions get models as they are since the version, so that `before` of the same version may not reshape these
    const isOfOne = this.steps.some((each) => each.change === before && each.version === version)
    const given = state.filter(({ slot }) => [...moves, ...reads].some((each) => each.slot === slot))
    if (isOfOne && /"t":"(?:object|choice|either)"/.test(JSON.stringify([given, moves]))) return undefined
    const not = this.halves(model, moves, reads, up !== undefined || down !== undefined)
    if (not.length === 0)
      for (const move of moves) if (move.t === 'gone' && moves.length === 1) this.freed.push(move.name)
    const made = { version, change, model: model.id, before, moves, reads, up, down, not }
    return this.hasEverything ? { ...made, ...this.more(state, made) } : made
  }

  /** Gives fields that may stand alone in a part functions of their own, so that those of the whole object do not make them. */
  private separate({ id }: ObjectSpec, moves: Move[]): void {
    const isAlone = this.objects.some(
      ({ model, guest, isPartial }) => guest === id || (model === id && isPartial),
    )
    if (!isAlone) return
    const same = (value: unknown): unknown => value
    const made = moves.flatMap((move): readonly Move[] => {
      if (move.t !== 'turn') return [move]
      return move.isAccepted === true ? [] : [{ ...move, up: move.up ?? same, down: move.down ?? same }]
    })
    moves.splice(0, moves.length, ...made)
  }

  /** What a step may have beside its moves. */
  private more(state: readonly Entry[], { moves, reads, up, down }: StepSpec): Partial<StepSpec> {
    const { random } = this
    const slots = new Set([...moves.filter(({ t }) => t !== 'gone'), ...reads].map(({ slot }) => slot))
    const text = applyMoves(state, moves).find(
      ({ kind, slot }) => kind.t === 'text' && slot !== undefined && slots.has(slot),
    )
    return {
      ...(text !== undefined && random.chance(0.4) ? { refined: text.name } : {}),
      isLoading: (up !== undefined || down !== undefined) && random.chance(0.4),
    }
  }

  /** The parts that have some of what a step turns together, or lack what it reads. */
  private halves(
    model: ObjectSpec,
    moves: readonly Move[],
    reads: StepSpec['reads'],
    isGroup: boolean,
  ): readonly number[] {
    const gone = moves.filter(({ t }) => t === 'gone')
    const hasBorn = moves.some(({ t }) => t === 'born')
    const halves: number[] = []
    for (const part of this.objects) {
      if (part.model !== model.id && part.guest !== model.id) continue
      const alive = this.alive.get(part.id) ?? new Set(part.entries.map(({ slot }) => slot))
      this.alive.set(part.id, alive)
      const here = gone.filter(({ slot }) => alive.has(slot))
      const isWhole = model.entries.every(({ slot }) => part.entries.some((each) => each.slot === slot))
      const isRest = isWhole || (part.isRest === true && part.model === model.id)
      const runs = isGroup && (here.length > 0 || (hasBorn && gone.length === 0 && isRest))
      const isPair =
        hasBorn && gone.length > 0 && moves.some((each) => each.t === 'born' && each.kind.t === 'tuple')
      const isWrapped =
        isPair &&
        !part.isPartial &&
        part.entries.some(({ slot, wrap }) => wrap !== 'none' && gone.some((each) => each.slot === slot))
      const stale = this.stale.get(part.id) ?? new Set<number>()
      this.stale.set(part.id, stale)
      if (
        (!isSame(part, model) && this.random.chance(0.06)) ||
        moves.some(({ slot }) => stale.has(slot)) ||
        (hasBorn && here.length < gone.length && (here.length > 0 || isRest)) ||
        (runs && (isWrapped || reads.some(({ slot }) => !alive.has(slot))))
      ) {
        halves.push(part.id)
        for (const { slot } of moves) stale.add(slot)
        continue
      }
      const takesBorn = gone.length > 0 ? here.length === gone.length : isRest
      for (const { t, slot } of moves) {
        if (t === 'gone') alive.delete(slot)
        if (t === 'born' && takesBorn) alive.add(slot)
      }
    }
    return halves
  }

  /** Whether a step that touches nothing that a newer one touches can be written against the newest shape. */
  private isNameable(model: ObjectSpec, moves: readonly Move[], reads: StepSpec['reads']): boolean {
    const isNewest = (slot: number): boolean => model.entries.some((entry) => entry.slot === slot)
    return (
      reads.every(({ slot }) => isNewest(slot)) &&
      moves.every((move) =>
        move.t === 'born' ? !model.entries.some(({ name }) => name === move.name) : isNewest(move.slot),
      )
    )
  }

  /** Whether a field stands in objects of other models, which may be written as text. */
  private isInOthers({ slot }: Entry): boolean {
    return this.objects.some(({ entries }) =>
      entries.some((each) => each.isGuest === true && each.slot === slot),
    )
  }

  /** What a field was whose older values reach the handler, if nothing newer converts them. */
  private accepted({
    kind,
    slot,
  }: Entry): Omit<Extract<Move, { t: 'turn' }>, 't' | 'slot' | 'name' | 'now'> | undefined {
    const { random, steps } = this
    const isTurned = steps.some(({ moves }) => moves.some((move) => move.t === 'turn' && move.slot === slot))
    if (!this.hasEverything || isTurned || !random.chance(0.3)) return undefined
    const isAccepted = { up: undefined, down: undefined, isAccepted: true } as const
    if (kind.t === 'digits') return { was: { t: 'wide' }, ...isAccepted }
    if (kind.t === 'int') return { was: { t: 'big' }, ...isAccepted }
    if (kind.t === 'enum') return { was: { t: 'enum', values: [...kind.values, 'x', 'y'] }, ...isAccepted }
    return undefined
  }

  private turn(
    kind: Kind,
    isFlat: boolean,
  ): Pick<Extract<Move, { t: 'turn' }>, 'was' | 'up' | 'down' | 'isNarrowed'> | undefined {
    const { random } = this
    const same = undefined
    if (kind.t === 'digits' && random.chance(0.3))
      return { was: { t: 'wide' }, up: same, down: same, isNarrowed: true }
    if (kind.t === 'digits') return { was: { t: 'int' }, up: String, down: Number }
    if (kind.t === 'int') return { was: { t: 'digits' }, up: Number, down: String }
    if (kind.t === 'flag')
      return { was: { t: 'yesno' }, up: (old) => old === 'yes', down: (now) => (now === true ? 'yes' : 'no') }
    if (kind.t === 'instant')
      return {
        was: { t: 'date' },
        up: (old) => (old as Date).toISOString(),
        down: (now) => new Date(String(now)),
      }
    if (kind.t === 'enum') {
      const [first = 'a', ...others] = kind.values
      if (others.length < 2) return undefined
      const values = [first, ...others.slice(0, -1)]
      return {
        was: { t: 'enum', values },
        up: same,
        down: (now) => (values.includes(String(now)) ? now : first),
      }
    }
    if (kind.t === 'text')
      return random.chance(0.5)
        ? {
            was: { t: 'maybe', of: { t: 'text' } },
            up: (old) => old ?? 'none',
            down: same,
          }
        : { was: { t: 'default', of: { t: 'text' }, value: 'past' }, up: same, down: same }
    if (isFlat || !isRequired(kind)) return undefined
    return { was: { t: 'boxed', of: kind }, up: (old) => (old as { v: unknown }).v, down: (v) => ({ v }) }
  }

  private routes(versions: number): readonly RouteSpec[] {
    const { random, objects } = this
    const count = 2 + random.below(3)
    const flat = objects.filter(({ isFlat, isKey }) => isFlat && isKey !== true)
    const key = objects.find(({ isKey }) => isKey)
    const flatId = (): number => flat[random.below(flat.length)]?.id ?? 0
    const closed = flat.findLast(({ mode }) => mode === 'strip')?.id
    const routes: RouteSpec[] = []
    for (let at = 0; at < count; at++) {
      const method = random.pick<RouteSpec['method']>(['GET', 'POST', 'PUT', 'PATCH'])
      const isForm = method !== 'GET' && random.chance(0.15)
      const response = this.outer()
      const status = method === 'POST' ? 201 : 200
      const responses: ResponseSpec[] = [{ status, key: status, kind: response }]
      if (random.chance(0.3)) responses.push({ status: 404, key: 404, kind: this.outer() })
      if (random.chance(0.3)) responses.push({ status: 409, key: '4XX', kind: this.outer() })
      if (random.chance(0.3)) responses.push({ status: 203, key: 'default', kind: this.outer() })
      const open = flat.filter(({ mode }) => mode !== 'loose')
      const query = random.chance(0.3) ? open[random.below(open.length)]?.id : undefined
      const isHand = random.chance(0.2)
      const params = random.chance(0.6) ? key : undefined
      const operations = isHand
        ? []
        : this.operations(at, versions, { hasPage: query === undefined, method, behind: paramsOf(params) })
      const body = method === 'GET' || isForm ? undefined : this.outer()
      routes.push({
        name: `r${at}`,
        method,
        path: `/r${at}${paramsOf(params)}`,
        params: params?.id,
        body,
        form: isForm ? flatId() : undefined,
        query,
        headers: random.chance(0.15) ? closed : undefined,
        responses,
        operations: this.hasEverything ? this.whole(operations, body, responses) : operations,
        // a hidden route that no change reaches has no versions
        isHidden: operations.length > 0 && random.chance(0.25),
        hasHand: isHand,
      })
    }
    return routes
  }

  /** Gives operations whole bodies that were others. */
  private whole(
    operations: readonly OperationSpec[],
    newest: Kind | undefined,
    responses: readonly ResponseSpec[],
  ): readonly OperationSpec[] {
    const { random } = this
    const [declared] = responses
    let body = newest
    let answer = declared?.kind
    return operations.map((operation) => {
      const made: Mutable<OperationSpec> = { ...operation }
      if (body !== undefined && random.chance(0.5)) made.body = wholeOf(body)
      if (declared !== undefined && answer !== undefined && random.chance(0.5))
        made.answer = { ...wholeOf(answer), status: declared.status }
      if (random.chance(0.4)) {
        const was = random.chance(0.7) ? `lost_${operation.version}` : undefined
        const status = random.pick([undefined, 400, 410])
        const isMarked = (was === undefined && status === undefined) || random.chance(0.5)
        made.error = { was, status, isMarked }
      }
      body = made.body?.was ?? body
      answer = made.answer?.was ?? answer
      return made
    })
  }

  private operations(
    at: number,
    versions: number,
    {
      hasPage,
      method,
      behind,
    }: { readonly hasPage: boolean; readonly method: RouteSpec['method']; readonly behind: string },
  ): readonly OperationSpec[] {
    const { random } = this
    const methods = (['POST', 'PUT', 'PATCH'] as const).filter((each) => method !== 'GET' && each !== method)
    const operations: OperationSpec[] = []
    let lastMethod: string = method
    let lastHeader: string | undefined = 'x-new'
    let hasLimit = false
    for (let version = 0; version < versions - 1; version++) {
      if (!random.chance(0.3)) continue
      const other =
        methods.length > 0 && random.chance(0.3) ? methods[random.below(methods.length)] : undefined
      const was = random.chance(0.7) ? `x-old${version}` : undefined
      const hasHeader = was !== lastHeader && random.chance(0.4)
      const limit: LimitKind | undefined =
        hasPage && !hasLimit && random.chance(0.4)
          ? random.pick<LimitKind>(['wide', 'word', 'absent', 'bad'])
          : undefined
      hasLimit ||= limit !== undefined
      const isOther = other !== lastMethod
      if (hasHeader) lastHeader = was
      operations.push({
        version,
        limit,
        change: `o${at}-${version}`,
        path: random.chance(0.5) ? `/old${version}/r${at}${behind}` : undefined,
        method: isOther ? other : undefined,
        // operations use the newest number, whatever newer ones say of it
        status: random.chance(0.4) ? { now: 404, was: 420 + version * 3 } : undefined,
        header: hasHeader ? { now: 'x-new', was } : undefined,
        parameter: hasPage && random.chance(0.4) && version === 0 ? { now: 'page', was: 'p' } : undefined,
      })
      if (isOther && other !== undefined) lastMethod = other
    }
    return operations.filter(
      (each) =>
        each.path !== undefined ||
        each.method !== undefined ||
        each.status !== undefined ||
        each.header !== undefined ||
        each.parameter !== undefined ||
        each.limit !== undefined,
    )
  }

  /** What stands at the top of a body. */
  private outer(): Kind {
    const { random, objects } = this
    // what no change reaches
    if (random.chance(0.15)) return { t: 'list', of: { t: 'boxed', of: { t: 'text' } } }
    const own: Kind = { t: 'object', object: random.below(objects.length) }
    const pick = random.below(8)
    if (pick === 0) return { t: 'list', of: own }
    if (pick === 1) return { t: 'page', of: own }
    if (pick === 2) return { t: 'envelope', of: own }
    if (pick === 3) return { t: 'record', of: own }
    return own
  }
}

/** What a whole body was: an envelope less or more, or a list instead of a page. */
function wholeOf(now: Kind): WholeSpec {
  if (now.t === 'envelope')
    return { now, was: now.of, up: (data) => ({ data }), down: (value) => Object(value).data }
  if (now.t === 'page') {
    const up = (items: unknown): object => ({ items, next: null })
    return { now, was: { t: 'list', of: now.of }, up, down: (value) => Object(value).items }
  }
  const was: Kind = { t: 'envelope', of: now }
  return { now, was, up: (value) => Object(value).data, down: (data) => ({ data }) }
}

/** Whether a part may be the very schema of its model. */
function isSame(part: ObjectSpec, model: ObjectSpec): boolean {
  const isWhole =
    part.entries.length === model.entries.length &&
    part.entries.every(({ slot, wrap }) => slot !== undefined && wrap === 'none')
  return isWhole && part.mode === 'strip' && part.refined === undefined
}

/** The parameters of a path. They keep their names in all versions. */
function paramsOf(key: ObjectSpec | undefined): string {
  return key === undefined ? '' : key.entries.map(({ name }) => `/{${name}}`).join('')
}

/** Whether a value has to be there, whatever it is. */
function isRequired(kind: Kind): boolean {
  return kind.t !== 'maybe' && kind.t !== 'default'
}

/** The fields before a step. */
export function applyMoves(state: readonly Entry[], moves: readonly Move[]): Entry[] {
  const made = state.flatMap((entry): readonly Entry[] => {
    const move = moves.find(({ slot }) => slot === entry.slot)
    if (move === undefined || move.t === 'born') return [entry]
    if (move.t === 'gone') return []
    return [move.t === 'rename' ? { ...entry, name: move.was } : { ...entry, kind: move.was }]
  })
  for (const move of moves)
    if (move.t === 'born') made.push({ name: move.name, slot: move.slot, kind: move.kind, wrap: 'none' })
  return made
}
