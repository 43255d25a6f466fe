/** Functions that take a version know which there are, if a history or an application names them. */
import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model } from 'octavo/changes'
import { forEachVersion } from 'octavo/testing'
import { z } from 'zod'

const Car = model('Car', { id: z.string() })
const mails = defineVersionChange({ version: '2', title: 'Mails', change: [], sideEffects: true })
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [mails] })
const module = defineModule({
  controllers: [
    defineController({
      name: 'CarController',
      routes: [{ method: 'GET', name: 'get', response: Car, handler: () => ({ id: '' }) }],
    }),
  ],
})
const app = createApp(module, { versioning: { scheme: VersioningSchemes.URL, history } })
const plain = createApp(module)
declare const wide: string

export async function use(): Promise<void> {
  history.isSince(mails, '1')
  // @ts-expect-error there is no version 9
  history.isSince(mails, '9')
  // @ts-expect-error the version may be another one
  history.isSince(mails, wide)
  await forEachVersion(app, '1', async (client) => void (await client.get('/car')))
  // @ts-expect-error there is no version 9
  await forEachVersion(app, '9', () => undefined)
  // types do not know the versions of an application that names none
  await forEachVersion(plain, '9', () => undefined)
  await forEachVersion(plain, wide, () => undefined)
}
