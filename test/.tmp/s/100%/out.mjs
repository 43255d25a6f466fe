// test/.tmp/s/places.mts
import { createApp, defineController, defineModule, DefinitionError } from "octavo";
var bad = () => createApp(defineModule({ controllers: [defineController({ name: "Car", routes: [{ method: "GET", name: "a b", handler: () => 1 }] })] }), { logger: false });
var attempt = (title, f) => {
  try {
    f();
    console.log(title, "NO ERROR");
  } catch (e) {
    console.log(title, e instanceof DefinitionError, e?.name, String(e?.message).slice(0, 300), e?.errors?.[0]?.at);
  }
};
attempt("plain", bad);
var orig = Error.prepareStackTrace;
for (const [t, p] of Object.entries({
  throws: () => {
    throw new Error("hostile");
  },
  symbol: () => /* @__PURE__ */ Symbol("x"),
  nullObj: () => /* @__PURE__ */ Object.create(null),
  toStringThrows: () => ({ toString() {
    throw new Error("x");
  } }),
  list: (_e, s) => s,
  undef: () => void 0,
  num: () => 5
})) {
  Error.prepareStackTrace = p;
  attempt(t, bad);
  Error.prepareStackTrace = orig;
}
for (const v of [0, void 0, "x", NaN, -1]) {
  Error.stackTraceLimit = v;
  attempt("limit " + String(v), bad);
  console.log(Error.stackTraceLimit);
}
Error.stackTraceLimit = 10;
attempt("eval", () => (0, eval)("(bad)=>bad()")(bad));
attempt("new Function", () => new Function("createApp", "defineModule", "defineController", 'return createApp(defineModule({controllers:[defineController({name:"Car", routes:[{method:"GET",name:"a b",handler(){}}]})]}),{logger:false})')(createApp, defineModule, defineController));
attempt("frozen", () => createApp(Object.freeze(defineModule({ controllers: [Object.freeze(defineController({ name: "Car", routes: [{ method: "GET", name: "a b", handler: () => 1 }] }))] })), Object.freeze({ logger: false })));
attempt("spread", () => createApp({ ...defineModule({ controllers: [{ ...defineController({ name: "Car", routes: [{ method: "GET", name: "a b", handler: () => 1 }] }) }] }) }, { logger: false }));
Object.defineProperty(Error, "stackTraceLimit", { value: 10, writable: false });
attempt("unwritable", bad);
//# sourceMappingURL=out.mjs.map
