/**
 * Declares the types of an application's settings and sessions for `Config` and `Session`, and the identity that guards of the application
 * and of modules leave to handlers, everywhere in the program. Needs no import at run time.
 *
 * @example
 * declare module 'octavo' {
 *   interface Register {
 *     config: z.output<typeof configSchema>
 *     session: z.output<typeof sessionSchema>
 *     identity: User
 *   }
 * }
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- it is there to be merged into
export interface Register {}

/** The application's settings, as far as {@link Register} tells. */
export type ConfigValues = Register extends { config: infer C } ? C : Readonly<Record<string, unknown>>

/** The data of a session, as far as {@link Register} tells. */
export type SessionValues = Register extends { session: infer S } ? S : Record<string, unknown>

/** The identity that a handler finds if no guard of its controller or route types it, as far as {@link Register} tells. */
export type IdentityValue = Register extends { identity: infer I } ? I : unknown
