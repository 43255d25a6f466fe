import * as fc from 'fast-check'

import { asObject, isObject } from './document.ts'
import type { Field, Media, Operation, Placed } from './document.ts'
import { Binary, isBinary, valuesOf, withKnown } from './values.ts'
import type { Ground } from './values.ts'

/** A call before it is written down: values for parameters and the body, and the schemes whose credentials go along. */
export interface Draft {
  readonly fields: readonly { readonly field: Field; readonly value: unknown }[]
  readonly body: { readonly media: Media; readonly value: unknown } | undefined
  readonly schemes: readonly string[]
  readonly server: string
  /** What is wrong with it; `undefined` for nothing. */
  readonly wrong: string | undefined
  /** Bytes in the place of what `body` would become, and their type. */
  readonly raw?: { readonly type: string; readonly text: string }
}

/** Makes calls that are as the document says. */
export function validCalls(operation: Operation, ground: Ground): fc.Arbitrary<Draft> {
  const fields = operation.fields.map((field) => {
    const values = fieldValues(field, ground).map((value) => ({ field, value }))
    return field.isRequired ? values : fc.option(values, { nil: undefined, freq: 2 })
  })
  const bodies = (operation.body?.media ?? []).map((media) =>
    bodyValues(media, ground).map((value) => ({ media, value })),
  )
  const body =
    bodies.length === 0
      ? fc.constant(undefined)
      : operation.body?.isRequired === true
        ? fc.oneof(...bodies)
        : fc.option(fc.oneof(...bodies), { nil: undefined, freq: 4 })
  const alternatives = operation.security.length === 0 ? [[]] : operation.security
  return fc
    .tuple(fc.tuple(...fields), body, fc.constantFrom(...alternatives), fc.constantFrom(...operation.servers))
    .map(([given, sent, schemes, server]) => ({
      server,
      fields: given.flatMap((each) => (each === undefined || isAbsent(each.value) ? [] : [each])),
      body: sent,
      schemes,
      wrong: undefined,
    }))
}

/** What no text can say: an optional parameter with such a value is left out. */
function isAbsent(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function fieldValues(field: Field, ground: Ground): fc.Arbitrary<unknown> {
  const values = withKnown(field.name, valuesOf(field, ground), ground)
  if (field.in === 'path') return valid(values, field, ground, isSegment)
  if (field.in === 'header') return valid(values.map(toAscii), field, ground, isLine)
  return valid(values, field, ground, () => true)
}

function bodyValues(media: Media, ground: Ground): fc.Arbitrary<unknown> {
  if (media.schema === undefined) return fc.constant('anything')
  const values = valuesOf(media, ground)
  // a body without a byte is none
  if (holdsFiles(media.schema, ground)) return values.filter((value) => !isEmpty(value))
  return valid(values, media, ground, (value) => isJson(media.type) || value !== '')
}

function isEmpty(value: unknown): boolean {
  return value instanceof Binary && value.bytes.length === 0
}

/** Schemas say more than values are made by, so some values are thrown away. */
function valid(
  values: fc.Arbitrary<unknown>,
  placed: Placed,
  { document }: Ground,
  fits: (value: unknown) => boolean,
): fc.Arbitrary<unknown> {
  let refused = 0
  return values.filter((value) => {
    if (document.isValid(placed, value) && fits(value)) {
      refused = 0
      return true
    }
    refused += 1
    if (refused > 500)
      throw new Error(`no value can be made for ${placed.pointer}: ${document.explain(placed, value)}`)
    return false
  })
}

/** Whether a value is a segment that no URL parser takes away. */
function isSegment(value: unknown): boolean {
  return !['', '.', '..'].includes(String(value))
}

function isLine(value: unknown): boolean {
  return (Array.isArray(value) ? value : [value]).every((each) => String(each) !== '')
}

/** A header is ASCII, without blanks at its ends. */
function toAscii(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[^ -~]/g, 'x').trim() : value
}

function holdsFiles(schema: unknown, ground: Ground): boolean {
  const resolved = ground.document.resolve({ schema, pointer: '' }).schema
  if (isBinary(resolved)) return true
  return Object.values(asObject(asObject(resolved)['properties'])).some((each) => {
    const { schema: own } = ground.document.resolve({ schema: each, pointer: '' })
    return (
      isBinary(own) ||
      isBinary(ground.document.resolve({ schema: asObject(own)['items'], pointer: '' }).schema)
    )
  })
}

/** The ways in which a call can be wrong by its document, each made from a valid one. */
export function spoil(operation: Operation, draft: Draft, ground: Ground): readonly Draft[] {
  return [
    ...draft.fields.flatMap(({ field }, at) =>
      isIgnored(field) ? [] : spoilField(draft, field, at, ground),
    ),
    ...(draft.body === undefined ? [] : spoilBody(operation, draft, draft.body, ground)),
    ...(operation.security.length > 0 && !operation.security.some((schemes) => schemes.length === 0)
      ? [{ ...draft, schemes: [], wrong: 'no credentials' }]
      : []),
  ]
}

/** Parameters of these names mean nothing (OpenAPI 3.1 section 4.8.12.2.1): their values are told elsewhere. */
function isIgnored({ name, in: place }: Field): boolean {
  return place === 'header' && ['accept', 'content-type', 'authorization'].includes(name.toLowerCase())
}

function spoilField(draft: Draft, field: Field, at: number, ground: Ground): readonly Draft[] {
  const others = draft.fields.filter((_each, index) => index !== at)
  const without =
    field.isRequired && field.in !== 'path' && !isSelector(field)
      ? [{ ...draft, fields: others, wrong: `without ${field.in} ${field.name}` }]
      : []
  const texts = badTexts(field, ground).filter((text) => field.in !== 'path' || isSegment(text))
  return [
    ...without,
    ...texts.map((text) => ({
      ...draft,
      fields: [...others, { field, value: text }],
      wrong: `${field.in} ${field.name} ${JSON.stringify(text.slice(0, 30))}`,
    })),
  ]
}

/** A parameter that can have one value says which of several operations is meant: without it that may be another one. */
function isSelector({ schema }: Field): boolean {
  const values = asObject(schema)['enum']
  return Array.isArray(values) && values.length === 1
}

/** Texts that mean no value of a schema, whatever they are taken for. */
function badTexts(placed: Placed, ground: Ground): readonly string[] {
  const { minimum, maximum, maxLength, items } = asObject(ground.document.resolve(placed).schema)
  const bounds = asObject(ground.document.resolve({ schema: items ?? {}, pointer: '' }).schema)
  const candidates = [
    'abc',
    '1.5',
    '-1',
    'not one of them',
    '2026-13-45',
    ...[minimum, bounds['minimum']].flatMap((low) => (typeof low === 'number' ? [String(low - 1)] : [])),
    ...[maximum, bounds['maximum']].flatMap((high) => (typeof high === 'number' ? [String(high + 1)] : [])),
    ...(typeof maxLength === 'number' ? ['x'.repeat(Math.min(maxLength + 1, 4_000))] : []),
  ].filter((text) => !/e/.test(text) || Number.isNaN(Number(text)))
  return candidates.filter((text) =>
    meanings(text).every(
      (meaning) => !ground.document.isValid(placed, meaning) && !ground.document.isValid(placed, [meaning]),
    ),
  )
}

function meanings(text: string): readonly unknown[] {
  return [text, ...(/^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : [])]
}

function spoilBody(
  operation: Operation,
  draft: Draft,
  { media, value }: { readonly media: Media; readonly value: unknown },
  ground: Ground,
): readonly Draft[] {
  const without =
    operation.body?.isRequired === true ? [{ ...draft, body: undefined, wrong: 'without body' }] : []
  if (isForm(media.type)) return [...without, ...spoilForm(draft, media, value, ground)]
  if (!isJson(media.type) || media.schema === undefined) return without
  const isWrong = (wrong: unknown): boolean => !ground.document.isValid(media, wrong)
  return [
    ...without,
    { ...draft, raw: { type: media.type, text: '{"a":' }, wrong: 'JSON that ends early' },
    { ...draft, raw: { type: 'application/x-unheard-of', text: 'a' }, wrong: 'an unknown content type' },
    ...mutants(value)
      .filter((mutant) => isWrong(mutant))
      .map((mutant) => ({
        ...draft,
        body: { media, value: mutant },
        wrong: `body ${JSON.stringify(mutant)?.slice(0, 200)}`,
      })),
  ]
}

function spoilForm(draft: Draft, media: Media, value: unknown, ground: Ground): readonly Draft[] {
  const { schema, pointer } = ground.document.resolve(media)
  const { properties, required } = asObject(schema)
  const fields = asObject(value)
  const omitted = (Array.isArray(required) ? required : []).map((name: string) => {
    const { [name]: _gone, ...others } = fields
    return { ...draft, body: { media, value: others }, wrong: `form without ${name}` }
  })
  const changed = Object.entries(asObject(properties)).flatMap(([name, each]) => {
    const placed = { schema: each, pointer: `${pointer}/properties/${name}` }
    const own = ground.document.resolve(placed).schema
    if (isBinary(own) || isBinary(asObject(own)['items'])) return []
    return badTexts(placed, ground).map((text) => ({
      ...draft,
      body: { media, value: { ...fields, [name]: text } },
      wrong: `form ${name} ${JSON.stringify(text.slice(0, 30))}`,
    }))
  })
  return [...omitted, ...changed]
}

const LONG = 'x'.repeat(300)
const STRANGE: readonly unknown[] = [null, '', 'abc', LONG, 0, 1, 12.5, 1e9, -1e9, true, [], {}]

/** A value with one place changed, for every place. */
function mutants(value: unknown): readonly unknown[] {
  const replaced = STRANGE.filter((strange) => JSON.stringify(strange) !== JSON.stringify(value))
  if (Array.isArray(value)) {
    return [
      ...replaced,
      ...value.slice(0, 2).flatMap((each, at) => mutants(each).map((mutant) => value.with(at, mutant))),
    ]
  }
  if (!isObject(value)) return replaced
  return [
    ...replaced,
    ...Object.entries(value).flatMap(([name, each]) => {
      const { [name]: _gone, ...others } = value
      return [others, ...mutants(each).map((mutant) => ({ ...value, [name]: mutant }))]
    }),
  ]
}

export function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(type)
}

export function isForm(type: string): boolean {
  return type.startsWith('multipart/form-data') || type.startsWith('application/x-www-form-urlencoded')
}
