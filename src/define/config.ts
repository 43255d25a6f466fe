import type { BuiltIn } from './built-in.ts'
import type { ConfigValues } from './register.ts'
import type { OutputOf, Schema } from '../schema/schema.ts'

/** The settings of the application. */
export type Config = ConfigValues

/** The token of the settings, with their types. */
interface ConfigToken extends BuiltIn<Config> {
  /**
   * The settings as another schema reads them: what a module needs, whatever the application's own `configSchema` says. What the
   * schema refuses stops the start.
   *
   * @example
   * const MailSettings = z.object({ smtpHost: z.string() })
   * inject: { settings: Config.of(MailSettings) }
   */
  of<S extends Schema>(schema: S): BuiltIn<OutputOf<S>>
}

/**
 * The settings of the application: `inject: { config: Config }`. They are the exports of `configModule`, read by `configSchema`.
 * {@link Register} or `Config.of` types them.
 */
export const Config: ConfigToken = {
  kind: 'built-in',
  token: 'Config',
  of: (schema) => ({ kind: 'built-in', token: 'Config', schema }),
}
