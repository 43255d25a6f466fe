/** Splits a text that arrives in pieces into lines. A class because it lives as long as its text. */
export class LineSplitter {
  /** The line that has not ended. */
  rest = ''

  /** Takes a piece. Returns the lines that end in it. Each piece is looked at once, however long a line becomes. */
  add(piece: string): readonly string[] {
    const lines = piece.split('\n')
    const last = lines.pop() ?? ''
    const [first] = lines
    if (first === undefined) {
      this.rest += last
      return lines
    }
    lines[0] = this.rest + first
    this.rest = last
    return lines
  }
}
