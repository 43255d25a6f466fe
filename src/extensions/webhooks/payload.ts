import type { Webhook } from '../../openapi/webhook.ts'
import { historyCodeOf } from '../../routes/history.ts'
import { toDeclared } from '../../schema/declared.ts'
import { fromJson, RESULT_READERS } from '../../schema/from-json.ts'
import { requireZod } from '../../schema/to-zod.ts'
import { createValidator, toReason } from '../../schema/validator.ts'
import type { VersionHistory } from '../../versioning/options.ts'

/** The payloads of one event by version, each written once. */
export interface Payloads {
  /**
   * The payload in a version, `undefined` for the newest one, or `undefined` if the version doesn't have the webhook.
   *
   * @throws `RangeError` for an unknown version, and what a change throws.
   */
  readonly of: (version: string | undefined) => Promise<string | undefined>
}

/** The history of payloads, and the values that its changes inject. */
export interface PayloadParts {
  readonly history: VersionHistory | undefined
  /** The values that changes of the history inject. */
  readonly inject?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Validates the data of an event by its newest schema. Changes then make the payloads of older versions of it.
 *
 * @throws `TypeError` for data that the schema refuses.
 */
export async function createPayloads(
  webhook: Webhook,
  data: unknown,
  { history, inject = {} }: PayloadParts,
): Promise<Payloads> {
  const { name, schema } = webhook
  await requireZod()
  const parsed = await createValidator(fromJson(schema, RESULT_READERS))(data)
  if (!('value' in parsed))
    throw new TypeError(
      `The data of the webhook ${name} is not as its schema says: ${toReason(parsed.issues)}`,
    )
  const timestamp = new Date().toISOString()
  const versions = history?.versions ?? []
  const write = async (version: string | undefined): Promise<string | undefined> => {
    if (version === undefined) return JSON.stringify({ type: name, timestamp, data: parsed.value })
    const migrate = historyCodeOf(history)?.migrate
    if (migrate === undefined || !versions.includes(version))
      throw new RangeError(`There is no version ${version}: there are ${versions.join(', ') || 'none'}`)
    const older = webhook.schemaIn(version, { list: versions, format: 'string', history })
    if (older === undefined) return undefined
    // functions of changes may make more than the older version declares
    const value = await migrate(schema, parsed.value, { to: version }, {}, async () => inject)
    const turned = toDeclared(older, value)
    return JSON.stringify({ type: name, timestamp, data: turned })
  }
  const written = new Map<string | undefined, Promise<string | undefined>>()
  return {
    of: (version) => {
      const known = written.get(version) ?? write(version)
      written.set(version, known)
      return known
    },
  }
}
