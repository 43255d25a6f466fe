export { page } from './page.ts'
export type {
  FieldOf,
  ItemSchema,
  PageContext,
  PageLimit,
  PageOptions,
  PagedList,
  PagePosition,
  PageQuery,
} from './page.ts'
export type { PageCondition, SortBy, SortedBy, SortKey } from './order.ts'
export type { PageFields, PageOf, PageSchema } from './schemas.ts'
