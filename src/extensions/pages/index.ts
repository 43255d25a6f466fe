export {
  page,
  type FieldOf,
  type PagedList,
  type PageOptions,
  type PagePosition,
  type PageQuery,
} from './page.ts'
export type { ItemSchema, PageContext, PageLimit, OffsetList, OffsetOptions, OffsetQuery } from './list.ts'
export type { PageCondition, SortBy, SortedBy, SortKey } from './order.ts'
export type {
  ListSchema,
  OffsetFields,
  OffsetPageOf,
  OffsetPageSchema,
  PageFields,
  PageOf,
  PageSchema,
} from './schemas.ts'
