/** Exports what tests of the parts of Octavo call and no entry point exports. Only `test/inside` names files of `src`, so moving one is one edit. */
export { DEFINITION_ERRORS, DEFINITION_WARNINGS } from '../../src/base/definition-error.ts'
export { styleFor } from '../../src/base/style.ts'
export { isRecord } from '../../src/base/values.ts'
export { explain, objectsOf } from '../../src/changes/check/explain.ts'
export { compileProgram } from '../../src/changes/convert/program-code.ts'
export { interpret, type Program } from '../../src/changes/convert/program.ts'
export {
  MigrationError,
  RefusedError,
  createMadeCheck,
  type Converter,
  type Plan,
} from '../../src/changes/convert/converter.ts'
export type { Instruction } from '../../src/changes/convert/instructions.ts'
export { findHistoryInternals } from '../../src/changes/internals.ts'
export { createEventParser } from '../../src/client/event-parser.ts'
export type { ReceivedEvent } from '../../src/client/event-stream.ts'
export type { AnyRoute } from '../../src/define/route.ts'
export { compareSortKeys, sortKeysOf, toWhere } from '../../src/extensions/pages/order.ts'
export { parseCookies, writeSetCookie } from '../../src/http/cookies.ts'
export { METHODS, PHRASES } from '../../src/http/http.ts'
export { toYaml } from '../../src/openapi/document/yaml.ts'
export { EMPTY_NODE, compileTrie } from '../../src/router/compile-trie.ts'
export { find, findLeaves, wholePath } from '../../src/router/find.ts'
export { toSplit, type Split } from '../../src/router/mixed.ts'
export { literalsOf } from '../../src/router/mount.ts'
export { createTree, edgesIn, type Endpoints, type Node } from '../../src/router/node.ts'
export { joinPaths, normalizePrefix, parsePattern, patternShape } from '../../src/router/path/pattern.ts'
export { toDeclared, findUndeclared } from '../../src/schema/declared.ts'
export { BODY_READERS, withJsonReaders } from '../../src/schema/coercion.ts'
export { toJsonWriter } from '../../src/schema/json-writer.ts'
export { isSchema, requireZod, toZod, childrenOf, mapSchema } from '../../src/schema/schema.ts'
export { cacheReadings } from '../../src/versioning/cache-readings.ts'
export type { VersionValue } from '../../src/versioning/schemes/scheme.ts'
