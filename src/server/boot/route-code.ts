export { placementProblems } from '../../flatten/check-placement.ts'
export { toMountRoute } from '../../flatten/mount.ts'
export { toSplit } from '../../router/mixed.ts'
export { printTable } from './print-table.ts'
