import { isRecord, isString } from '../../base/values.ts'

/** The operations of a document, as method and path, by their `operationId`. */
export function operationsById(document: object): ReadonlyMap<string, string> {
  const paths: unknown = Reflect.get(document, 'paths')
  return new Map(
    Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, item]) =>
      Object.entries(isRecord(item) ? item : {}).flatMap(([method, operation]) => {
        const id = isRecord(operation) ? operation['operationId'] : undefined
        return isString(id) ? [[id, `${method.toUpperCase()} ${path}`] as const] : []
      }),
    ),
  )
}
