import { createApp, defineController, defineModule, DefinitionError } from 'octavo'
const bad = () => createApp(defineModule({ controllers: [defineController({ name: 'Car', routes: [{ method: 'GET', name: 'a b', handler: () => 1 }] })] }), { logger: false } as never)
const attempt = (title: string, f: () => unknown) => {
  try { f(); console.log(title, 'NO ERROR') } catch (e: any) {
    console.log(title, e instanceof DefinitionError, e?.name, String(e?.message).slice(0, 300), e?.errors?.[0]?.at)
  }
}
attempt('plain', bad)
const orig = Error.prepareStackTrace
for (const [t, p] of Object.entries({
  throws: () => { throw new Error('hostile') },
  symbol: () => Symbol('x'),
  nullObj: () => Object.create(null),
  toStringThrows: () => ({ toString() { throw new Error('x') } }),
  list: (_e: unknown, s: unknown) => s,
  undef: () => undefined,
  num: () => 5,
})) {
  Error.prepareStackTrace = p as never
  attempt(t, bad)
  Error.prepareStackTrace = orig
}
for (const v of [0, undefined, 'x', NaN, -1]) { (Error as any).stackTraceLimit = v; attempt('limit ' + String(v), bad); console.log(Error.stackTraceLimit) }
Error.stackTraceLimit = 10
attempt('eval', () => (0, eval)('(bad)=>bad()')(bad))
attempt('new Function', () => new Function('createApp','defineModule','defineController', 'return createApp(defineModule({controllers:[defineController({name:"Car", routes:[{method:"GET",name:"a b",handler(){}}]})]}),{logger:false})')(createApp, defineModule, defineController))
attempt('frozen', () => createApp(Object.freeze(defineModule({ controllers: [Object.freeze(defineController({ name: 'Car', routes: [{ method: 'GET', name: 'a b', handler: () => 1 }] }))] })) as never, Object.freeze({ logger: false }) as never))
attempt('spread', () => createApp({ ...defineModule({ controllers: [{ ...defineController({ name: 'Car', routes: [{ method: 'GET', name: 'a b', handler: () => 1 }] }) }] }) } as never, { logger: false } as never))
Object.defineProperty(Error, 'stackTraceLimit', { value: 10, writable: false })
attempt('unwritable', bad)
