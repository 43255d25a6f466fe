import type { ReceivedEvent } from './event-stream.ts'

/** The state that a client keeps of one connection for the next. */
export interface EventState {
  /** The id of the last event. */
  id: string
  /** Milliseconds until the next connection. */
  retry: number
}

/**
 * Creates the function that finds the events of a connection in the texts that it arrives in (the HTML standard, section 9.2.6). An
 * event that has not ended is left out.
 */
export function createEventParser(kept: EventState): (text: string) => readonly ReceivedEvent[] {
  let rest = ''
  let isAfterReturn = false
  let event = ''
  let data = ''
  let { id } = kept
  const fields: Readonly<Record<string, (value: string) => void>> = {
    event: (value) => {
      event = value
    },
    data: (value) => {
      data += `${value}\n`
    },
    id: (value) => {
      if (!value.includes('\0')) id = value
    },
    retry: (value) => {
      if (/^\d+$/.test(value)) kept.retry = Number(value)
    },
  }
  const end = (): readonly ReceivedEvent[] => {
    const ended = { event: event === '' ? 'message' : event, data: data.slice(0, -1), id }
    const hasData = data !== ''
    event = ''
    data = ''
    kept.id = id
    return hasData ? [ended] : []
  }
  return (text) => {
    // the line feed may be the second half of a line end that began in the text before
    const own = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') isAfterReturn = text.endsWith('\r')
    rest += own
    // a long line is split once, when it ends
    if (!/[\r\n]/.test(own)) return []
    const lines = rest.split(/\r\n|[\r\n]/)
    rest = lines.pop() ?? ''
    return lines.flatMap((line) => {
      if (line === '') return end()
      const [name, value] = readField(line)
      if (Object.hasOwn(fields, name)) fields[name]?.(value)
      return []
    })
  }
}

/** The name and value of a line. A line that begins with a colon is a comment, and its name is empty. */
function readField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))]
}
