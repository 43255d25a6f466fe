export { toMountRoute } from '../../flatten/mount.ts'
export { toSplit } from '../../router/mixed.ts'
