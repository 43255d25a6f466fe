import { array, ref, string } from './support.ts'

type Schemas = Readonly<Record<string, object>>
/** A schema that leads to the one below on several ways. */
type Shape = (below: object, at: number) => object

const own = (at: number): object => ({ properties: { [`own${at}`]: string } })
const kind = (value: string, below: object): object => ({
  type: 'object',
  properties: { kind: { const: value }, below },
  required: ['kind'],
})

/** A shape for each keyword that holds schemas, alone and with others. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  allOf: (below, at) => ({ allOf: [below, below], ...own(at) }),
  'allOf with parts between': (below, at) => ({
    allOf: [
      { allOf: [below], ...own(at) },
      { allOf: [below], description: 'other' },
    ],
  }),
  'allOf that limits one property': (below, at) => ({
    allOf: [
      { allOf: [below], properties: { a: { minLength: at } } },
      { allOf: [below], properties: { a: { maxLength: 100 + at } } },
    ],
  }),
  'allOf with oneOf of required': (below, at) => ({
    allOf: [below, below],
    oneOf: [{ required: ['a'] }, { required: [`own${at}`] }],
    ...own(at),
  }),
  'allOf with anyOf': (below, at) => ({
    allOf: [below, below],
    anyOf: [own(at), { required: [`other${at}`] }],
  }),
  'allOf of anyOf': (below, at) => ({
    allOf: [{ anyOf: [below, own(at)] }, { anyOf: [below, own(at + 100)] }],
  }),
  anyOf: (below, at) => ({ anyOf: [below, { anyOf: [below, own(at)] }] }),
  'anyOf of allOf': (below, at) => ({
    anyOf: [{ allOf: [below, own(at)] }, { allOf: [below], required: [`own${at}`] }],
  }),
  oneOf: (below, at) => ({ oneOf: [below, { required: ['x'], ...own(at) }, below] }),
  not: (below) => ({ not: { anyOf: [below, below] } }),
  'if, then and else': (below) =>
    Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, below])),
  properties: (below) => ({ type: 'object', properties: { a: below, b: below }, required: ['a'] }),
  items: (below) => array(below, { minItems: 2, prefixItems: [below, below] }),
  contains: (below) => array(below, { contains: below }),
  additionalProperties: (below) => ({
    type: 'object',
    additionalProperties: below,
    patternProperties: { '^x': below },
  }),
  patternProperties: (below) => ({ type: 'object', patternProperties: { '^x': below, '^y': below } }),
  dependentSchemas: (below) => ({ type: 'object', dependentSchemas: { a: below, b: below } }),
  propertyNames: (below) => ({ type: 'object', propertyNames: below, additionalProperties: below }),
  '$ref with others beside it': (below, at) => ({ ...below, allOf: [below], ...own(at) }),
  discriminator: (below, at) => ({
    oneOf: [kind(`a${at}`, below), kind('b', below)],
    discriminator: { propertyName: 'kind' },
  }),
}

/** Named schemas, each of which leads to the one before on several ways. The last is `top`. */
export function diamondOf(shapes: readonly Shape[], leaf: object, levels = 40): Schemas & { top: object } {
  const schemas: Record<string, object> = { Level0: leaf }
  for (let at = 1; at < levels; at++)
    schemas[`Level${at}`] = shapes[at % shapes.length]?.(ref(`Level${at - 1}`), at) ?? leaf
  return { ...schemas, top: ref(`Level${levels - 1}`) }
}

/** Several shapes in a random order. */
export function mixOf(seed: number): readonly Shape[] {
  const all = Object.values(SHAPES)
  let state = seed
  return Array.from({ length: 7 }, () => {
    // the generator of Numerical Recipes
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return all[(state >>> 16) % all.length]
  }).filter((shape) => shape !== undefined)
}
