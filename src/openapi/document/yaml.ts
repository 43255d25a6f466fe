/** A document as YAML 1.2 (RFC 9512). Texts that readers of YAML 1.1 would take for something else, as `yes`, are in quotes. */
export function toYaml(document: object): string {
  // members that JSON leaves out, or writes by `toJSON`, are the same in YAML
  return `${toYamlBlock(JSON.parse(JSON.stringify(document)), '').trimStart()}\n`
}

/** A value of JSON, with the space or the line break before it. `indent` is that of its lines. */
function toYamlBlock(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${formatText(value, indent)}`
  if (typeof value !== 'object' || value === null) return ` ${String(value)}`
  const lines = Array.isArray(value)
    ? value.map((entry: unknown) => `- ${toYamlBlock(entry, `${indent}  `).trimStart()}`)
    : Object.entries(value).map(([key, entry]) => toYamlEntry(key, entry, indent))
  if (lines.length === 0) return Array.isArray(value) ? ' []' : ' {}'
  return lines.map((line) => `\n${indent}${line}`).join('')
}

function toYamlEntry(key: string, value: unknown, indent: string): string {
  const name = isPlainScalar(key) ? key : toQuoted(key)
  const block = toYamlBlock(value, `${indent}  `)
  // longer keys have to be marked (YAML 1.2.2 section 8.2.2)
  return name.length > MAX_KEY ? `? ${name}\n${indent}:${block}` : `${name}:${block}`
}

const MAX_KEY = 1000

function formatText(text: string, indent: string): string {
  if (isPlainScalar(text)) return text
  if (!text.includes('\n') || NOT_LITERAL.test(text) || text.search(UNSAFE) !== -1) return toQuoted(text)
  return `|-\n${text
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n')}`
}

/** Whether a text needs no quotes: it begins as no number and no indicator, and is no word that means something else. */
function isPlainScalar(text: string): boolean {
  return (
    /^[a-z_/$][\w ./$(){}+,'-]*$/i.test(text) &&
    !text.endsWith(' ') &&
    !/^(?:y|n|yes|no|on|off|true|false|null|e[\d+-].*)$/i.test(text)
  )
}

/** Characters that a reader may not take as they are, or as part of a line. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

// oxlint-disable-next-line no-control-regex
const NOT_LITERAL = /^\s|\s$|\n[\t ]+(?:\n|$)|[\u0000-\u0009\u000b-\u001f\ud800-\udfff]/

/** A text of JSON is one of YAML. */
function toQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
