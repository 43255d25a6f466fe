import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'

import { ShopSession } from './accounts/guards.ts'
import { AccountsModule } from './accounts/module.ts'
import { CatalogModule } from './catalog/module.ts'
import { OrdersModule } from './orders/module.ts'
import { ShopSettings } from './settings.ts'

export const ShopModule = defineModule({
  name: 'ShopModule',
  imports: [CatalogModule, AccountsModule, OrdersModule],
})

/** The shop. Signing needs the secret before anything starts; all other settings come from `config`. */
export function createShop(
  {
    sessionSecret,
    secureCookies = true,
  }: { readonly sessionSecret: string; readonly secureCookies?: boolean },
  options: AppOptions = {},
): App<typeof ShopModule> {
  return createApp(ShopModule, {
    configSchema: ShopSettings,
    versioning: { scheme: VersioningSchemes.URL, versionParameter: 'v', defaultVersion: '1' },
    session: { secret: sessionSecret, schema: ShopSession, cookie: { secure: secureCookies } },
    ...options,
  })
}
