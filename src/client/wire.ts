/**
 * A value as it is after it went through JSON: a `Date` is a string, and so is whatever `toJSON` makes one. Members are looked at when
 * they are used, so a large type costs what is used of it.
 */
export type Wire<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer J }
    ? Wire<J>
    : T extends Uint8Array | Blob
      ? Uint8Array
      : T extends object
        ? { [K in keyof T]: Wire<T[K]> }
        : unknown
