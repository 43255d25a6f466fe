/** Writes a text so that it can stand in HTML, in quoted attributes too. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
