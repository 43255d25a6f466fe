import { createApp, defineModule, defineController, Config, bind, DefinitionError } from 'octavo'
import { z } from 'zod'
process.on('unhandledRejection', (e) => console.log('   !! UNHANDLED', String(e)))
process.on('uncaughtException', (e) => console.log('   !! UNCAUGHT', String(e)))
const SECRET = 'hunter2'
const status = defineController({ prefix: '/s', inject: { config: Config }, routes: [{ method: 'GET', handler: ({ inject }) => inject.config as any }] })
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms))
const t = async (title: string, options: () => any, wait = 0) => {
  try {
    const app = createApp(defineModule({ controllers: [status] }), { logger: false, ...options() })
    if (wait) await sleep(wait)
    await app.ready()
    const r = await app.inject('/s')
    console.log(title, 'OK', r.statusCode, r.body.slice(0, 200))
    await app.close()
  } catch (e: any) {
    const m = String(e?.message)
    console.log(title, e instanceof DefinitionError ? 'DE' : 'RAW ' + e?.name, m.replaceAll('\n', '|').slice(0, 250), m.includes(SECRET) ? '*** SECRET' : '')
  }
}
const boom = () => { throw new Error(SECRET) }
await t('promise rejects early', () => ({ config: Promise.reject(new Error(SECRET)) }), 20)
await t('promise rejects late', () => ({ config: sleep(30).then(boom) }), 60)
await t('fn throws', () => ({ config: boom }))
await t('fn rejects', () => ({ config: async () => boom() }))
await t('fn undefined', () => ({ config: () => undefined }))
await t('fn string', () => ({ config: () => SECRET }))
await t('fn array', () => ({ config: () => [1] }))
await t('fn fn', () => ({ config: () => () => ({ a: 1 }) }))
await t('fn URL', () => ({ config: () => new URL('file:///x/' + SECRET) }))
await t('getter top', () => ({ config: { get a() { return boom() } } }))
await t('getter nested', () => ({ config: { b: { get a() { return boom() } } } }))
await t('getter nested schema', () => ({ config: { b: { get a() { return boom() } } }, configSchema: z.object({ b: z.object({ a: z.string() }) }) }))
await t('getter throws in fn result', () => ({ config: () => ({ get a() { return boom() } }) }))
await t('override getter', () => ({ overrides: [bind(Config, { value: { b: { get a() { return boom() } } } as never })] }))
await t('override getter schema absent', () => ({ overrides: [bind(Config, { value: { b: { get a() { return boom() } } } as never })], configSchema: z.object({ b: z.string() }) }))
await t('proxy', () => ({ config: new Proxy({}, { ownKeys: boom }) }))
await t('proxy get', () => ({ config: new Proxy({}, { get: boom }) }))
await t('proxy getPrototypeOf', () => ({ config: new Proxy({}, { getPrototypeOf: boom }) }))
const revoked = Proxy.revocable({}, {}); revoked.revoke()
await t('revoked', () => ({ config: revoked.proxy }))
await t('revoked fn', () => ({ config: () => revoked.proxy }))
await t('nested revoked', () => ({ config: { a: revoked.proxy } }))
await t('then getter', () => ({ config: { get then() { return boom() } } }))
await t('frozen', () => ({ config: Object.freeze({ a: Object.freeze([1]) }) }))
await t('null proto', () => ({ config: Object.assign(Object.create(null), { a: 1 }) }))
await t('__proto__', () => ({ config: JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"y":1}}}') }))
await t('map', () => ({ config: new Map([['a', 1]]) }))
await t('array', () => ({ config: [1] }))
await t('number', () => ({ config: 5 }))
await t('null', () => ({ config: null }))
await t('class', () => ({ config: class X { static a = 1 } }))
await t('async schema', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.string() }).refine(async () => false, 'bad') }))
await t('async schema throws', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.string() }).refine(async () => boom()) }))
await t('schema throws', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.string().transform(boom) }) }))
await t('strict', () => ({ config: { a: SECRET }, configSchema: z.strictObject({ }) }))
await t('record', () => ({ config: { a: SECRET }, configSchema: z.record(z.string(), z.number()) }))
await t('literal', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.literal('x') }) }))
await t('union', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.union([z.number(), z.boolean()]) }) }))
await t('template', () => ({ config: { a: SECRET }, configSchema: z.object({ a: z.templateLiteral(['x', z.number()]) }) }))
await t('set', () => ({ config: { a: new Set([SECRET]) }, configSchema: z.object({ a: z.set(z.number()) }) }))
await t('map', () => ({ config: { a: new Map([[SECRET, 1]]) }, configSchema: z.object({ a: z.map(z.string(), z.string()) }) }))
await t('map key', () => ({ config: { a: new Map([[SECRET, 1]]) }, configSchema: z.object({ a: z.map(z.number(), z.number()) }) }))
await t('issue path symbol', () => ({ config: { a: 1 }, configSchema: z.object({ a: z.number().check((c: any) => c.issues.push({ code: 'custom', path: [Symbol('q')], message: 'm', input: 1 })) }) }))
const circ: any = { a: 1 }; circ.self = circ
await t('circ', () => ({ config: circ }))
await t('module missing', () => ({ config: import('./no-such.ts') }), 20)
await t('path missing', () => ({ config: './' + SECRET }))
await t('URL missing', () => ({ config: new URL('file:///' + SECRET) }))
await t('URL data', () => ({ config: new URL('data:text/javascript,export const a = 1') }))
await t('URL data nothing', () => ({ config: new URL('data:text/javascript,') }))
await t('URL data secret throws', () => ({ config: new URL('data:text/javascript,throw new Error("hunter2")') }))
await t('URL data default', () => ({ config: new URL('data:text/javascript,export default {a:1}') }))
await t('URL http', () => ({ config: new URL('http://x/hunter2') }))
await t('TDZ', () => ({ config: () => import('data:text/javascript,export const a = 1; export function then(r){ r(5) }') }))
// mutated
{
  const config = { db: { url: 'a' }, list: [1] }
  const app = createApp(defineModule({ controllers: [status] }), { logger: false, config })
  await app.ready(); config.db.url = 'b'; config.list.push(2)
  console.log('mutated after', (await app.inject('/s')).body)
}
{
  const config = { db: { url: 'a' }, list: [1] }
  const app = createApp(defineModule({ controllers: [status] }), { logger: false, config, configSchema: z.any() })
  await app.ready(); config.db.url = 'b'; config.list.push(2)
  console.log('mutated after any', (await app.inject('/s')).body)
}
{
  const config: any = { db: { url: 'a' } }
  const app = createApp(defineModule({ controllers: [status] }), { logger: false, config, configSchema: z.preprocess((v: any) => { v.db.url = 'x'; v.more = 1; return v }, z.any()) })
  await app.ready()
  console.log('preprocess mutates', JSON.stringify(config), (await app.inject('/s')).body)
}
