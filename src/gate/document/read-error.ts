/** A document that cannot be read, resolved or compared. Its message is one line that says where and why. */
export class ReadError extends Error {
  override readonly name = 'ReadError'
}
