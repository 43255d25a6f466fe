import * as zod from 'zod'
import type { z } from 'zod'

import { toRecord } from '../../base/values.ts'
import { unwrap, toZod, type InputOf, type OutputOf, type Schema } from '../../schema/schema.ts'

/** The result of a list: its items, and the cursors of the pages beside this one. */
export interface PageOf<T> {
  /** The items of this page, in the order of the list. */
  readonly items: readonly T[]
  /** The cursor of the next page, `null` on the last one. */
  readonly next: string | null
  /** The cursor of the page before, `null` on the first one. */
  readonly prev: string | null
}

/** A page of a list that is read by numbers. */
export interface OffsetPageOf<T> {
  /** The items of this page, in the order of the list. */
  readonly items: readonly T[]
  /** How many items there are in all pages. */
  readonly total: number
}

/**
 * The schema of a page. It is described by its type alone, because TypeScript would compare each schema of items with the classes of zod to
 * put it into one of them.
 */
export interface ListSchema<S, O, I, M> {
  /** Zod's own description of the schema. */
  readonly _zod: {
    /** For types alone: the type of a value after validation. */
    readonly output: O
    /** For types alone: the type of a value before validation. */
    readonly input: I
    /** For types alone: what clients of older versions read the items from. */
    readonly def: {
      /** The kind of schema. */
      readonly type: 'object'
      /** The fields. */
      readonly shape: M & {
        /** The items. */
        readonly items: {
          /** Zod's own description of the schema. */
          readonly _zod: {
            /** For types alone: the type of the items after validation. */
            readonly output: OutputOf<S>[]
            /** For types alone: the type of the items before validation. */
            readonly input: readonly InputOf<S>[]
            /** For types alone: what the list holds. */
            readonly def: {
              /** The kind of schema. */
              readonly type: 'array'
              /** The schema of an item. */
              readonly element: S
            }
          }
        }
      }
    }
  }
  /** Returns a copy with metadata, such as the `id` that names it in documents. */
  meta(metadata: {
    /** The name of the page in documents. */
    readonly id?: string
    /** A description of the page. May hold Markdown. */
    readonly description?: string
  }): this
}

/** The schema of the response of a list. */
export interface PageSchema<S> extends ListSchema<
  S,
  PageOf<OutputOf<S>>,
  PageOf<InputOf<S>>,
  { readonly next: z.ZodNullable<z.ZodString>; readonly prev: z.ZodNullable<z.ZodString> }
> {}

/** The schema of the response of a list that is read by numbers. */
export interface OffsetPageSchema<S> extends ListSchema<
  S,
  OffsetPageOf<OutputOf<S>>,
  OffsetPageOf<InputOf<S>>,
  { readonly total: z.ZodInt }
> {}

/** The query parameters of a list. */
export interface PageFields {
  /** How many items a page has. */
  readonly limit: z.ZodDefault<z.ZodInt>
  /** The page to read. */
  readonly cursor: z.ZodOptional<z.ZodString>
}

/** The query parameters of a list that is read by numbers. */
export interface OffsetFields extends Pick<PageFields, 'limit'> {
  /** How many items are before the page. */
  readonly offset: z.ZodDefault<z.ZodInt>
}

/** Characters of the longest cursor, so that a URL has room for filters beside it. */
export const MAX_CURSOR = 2000

/** The query parameters of a list. */
export function toPageFields(limit: number, max: number): PageFields {
  return {
    limit: toLimit(limit, max),
    cursor: zod
      .string()
      .min(1)
      .max(MAX_CURSOR)
      .optional()
      .meta({ description: 'The page to read: `next` or `prev` of another page' }),
  }
}

/** The query parameters of a list that is read by numbers. */
export function toOffsetFields(limit: number, max: number, maxOffset: number): OffsetFields {
  const offset = zod.int().min(0).max(maxOffset).default(0)
  return {
    limit: toLimit(limit, max),
    offset: offset.meta({ description: 'How many items are before the page' }),
  }
}

function toLimit(limit: number, max: number): PageFields['limit'] {
  return zod.int().min(1).max(max).default(limit).meta({ description: 'How many items a page has' })
}

/** The schema of the response of a list. */
export function toPageSchema<S extends Schema>(items: S): PageSchema<S> {
  const made = zod.object({
    items: zod.array(toZod(items)),
    next: toCursor('The cursor of the next page, or null on the last one'),
    prev: toCursor('The cursor of the page before, or null on the first one'),
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of these fields, by a smaller type
  return made as unknown as PageSchema<S>
}

/** The schema of the response of a list that is read by numbers. */
export function toOffsetSchema<S extends Schema>(items: S): OffsetPageSchema<S> {
  const total = zod.int().min(0).meta({ description: 'How many items there are in all pages' })
  const made = zod.object({ items: zod.array(toZod(items)), total })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return made as unknown as OffsetPageSchema<S>
}

function toCursor(description: string): z.ZodType {
  return zod.string().nullable().meta({ description })
}

/** The fields of an object schema, or `undefined` for other schemas. */
export function rowFieldsOf(schema: Schema): Readonly<Record<string, unknown>> | undefined {
  const def = unwrap(schema)
  return def?.type === 'object' ? toRecord(def['shape']) : undefined
}

/** Whether a schema takes `null`, as a result may hold it. */
export function takesNull(schema: Schema): boolean {
  try {
    return zod.safeParse(toZod(schema), null).success
  } catch {
    // such as one with a check that takes time
    return false
  }
}
