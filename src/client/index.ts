export type { RouteCall, RouteMap } from './route-map.ts'
