import { createServer, METHODS, Server } from 'node:http'
import { Socket } from 'node:net'

/** The reports of a connection's parser. Called while it parses, so none of this may throw. */
export interface ParserTarget {
  /** A head is complete. Returns 0 to go on, and 2 if what follows is no HTTP. */
  onHead(head: ParsedHead): number
  onBody(chunk: Uint8Array): void
  onMessage(): void
  /** Called after bytes were parsed, with their number, or with the error that stopped the parser. */
  onParsed(result: number | Error): void
  /** The head or the whole of the present request has not arrived in time. */
  onTimeout(): void
  /** No request is under way, and not even the first byte of one has arrived. */
  onIdle(): void
}

/** The head of a request as the parser reports it. */
export interface ParsedHead {
  readonly major: number
  readonly minor: number
  readonly method: string
  readonly target: string
  /** Names and values in turn, as they were sent. */
  readonly lines: readonly string[]
  /** Whether the request asks to leave HTTP. */
  readonly upgrade: boolean
  /** Whether the connection may stay, by the version and the headers of the request. */
  readonly keepAlive: boolean
}

/** A connection below a socket, as Node has it. */
export interface ParserHandle {
  reading: boolean
  readonly isStreamBase?: boolean
  readStart(): unknown
  readStop(): unknown
  /** Writes the address of the client into an object. Returns 0, or an error number if the connection was reset. */
  getpeername?(to: object): number
}

/** The parser of a connection. */
export interface HttpParser {
  /** Whom it reports to. */
  target: ParserTarget | undefined
  execute(chunk: Uint8Array): number | Error
  /** Reports the end of the connection. Returns an error if that is in the middle of a request. */
  finish(): Error | undefined
  /** Reads from the connection itself, instead of its socket. */
  consume(handle: ParserHandle): void
  unconsume(): void
  /** Returns the bytes that are parsed right now, or were parsed last. */
  getCurrentBuffer(): Uint8Array | undefined
  /** Forgets the parser in the list of its server. */
  remove(): void
  /** Frees the parser. Not while it parses. */
  close(): void
}

/** The parsers of a server. */
export interface Parsers {
  readonly open: (target: ParserTarget) => HttpParser
  /** Calls `onTimeout` of the connections whose present request takes longer than that, in milliseconds; 0 is for ever. */
  readonly expire: (headers: number, request: number) => void
  /** Calls `onIdle` of the connections between two requests. */
  readonly rest: () => void
}

/** Creates the parsers of a server, with the longest head in bytes. */
export type CreateParsers = (maxHeaderSize: number) => Parsers

/** The class of Node that has llhttp inside, as far as it is used. */
interface NativeParser extends Omit<HttpParser, 'target'> {
  initialize(kind: unknown, resource: object, maxHeaderSize: number, lenient: unknown, list: NativeList): void
}

interface NativeList {
  expired(headers: number, request: number): readonly unknown[]
  idle(): readonly unknown[]
}

interface Natives {
  readonly Parser: new () => NativeParser
  readonly List: new () => NativeList
  readonly codes: Codes
}

/** The constants that say what is called. */
type Codes = Readonly<Record<(typeof CODES)[number], number>>

const CODES = [
  'REQUEST',
  'kOnHeaders',
  'kOnHeadersComplete',
  'kOnBody',
  'kOnMessageComplete',
  'kOnExecute',
  'kLenientNone',
] as const

const PARSER_METHODS = 'initialize execute finish consume unconsume getCurrentBuffer remove close'.split(' ')

/**
 * Finds Node's own parser, which has llhttp inside, or `undefined` if this Node has another one, or if something has replaced what
 * servers of node:http emit, as tools for monitoring do: they would not see the requests.
 */
export function findParsers(): CreateParsers | undefined {
  if (Object.hasOwn(Server.prototype, 'emit')) return undefined
  try {
    const natives = findNatives()
    return natives === undefined ? undefined : test(natives)
  } catch {
    return undefined
  }
}

/** Takes the classes from a server and a connection that never open: no module of Node exports them without a warning. */
function findNatives(): Natives | undefined {
  const server = createServer()
  const socket = new Socket()
  try {
    server.emit('listening')
    server.emit('connection', socket)
    const list = Object.getOwnPropertySymbols(server).find(
      ({ description }) => description === 'http.server.connections',
    )
    const parser: unknown = Reflect.get(socket, 'parser')
    const Parser = parserClassOf(parser, PARSER_METHODS)
    const List =
      list === undefined ? undefined : parserClassOf(Reflect.get(server, list), ['expired', 'idle'])
    if (Parser === undefined || List === undefined) return undefined
    if (!CODES.every((code) => Number.isInteger(Reflect.get(Parser, code)))) return undefined
    // each member was just looked at
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { Parser, List, codes: Parser as unknown } as Natives
  } finally {
    // the parser of the socket is freed with it, and until then has to find the list of the server
    socket.once('close', () => server.close())
    socket.destroy()
  }
}

function parserClassOf(value: unknown, methods: readonly string[]): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { constructor } = value
  return methods.every((name) => typeof Reflect.get(value, name) === 'function') ? constructor : undefined
}

/** Tries the parser with one request of each kind that matters, and learns the numbers of the methods. */
function test(natives: Natives): CreateParsers | undefined {
  const numbers = createNumbers(natives)
  if (numbers === undefined) return undefined
  const create = createParsers(natives, numbers)
  const seen: unknown[] = []
  const target: ParserTarget = {
    onHead: (head) => {
      seen.push(head.method, head.target, head.lines, head.keepAlive, head.upgrade)
      return 0
    },
    onBody: (chunk) => void seen.push(Buffer.from(chunk).toString()),
    onMessage: () => void seen.push('end'),
    onParsed: () => undefined,
    onTimeout: () => undefined,
    onIdle: () => void seen.push('idle'),
  }
  const parsers = create(TEST_SIZE)
  const parser = parsers.open(target)
  const parsed = parser.execute(Buffer.from(TEST))
  parsers.rest()
  // the first byte of a request must not be lost
  parser.execute(Buffer.from('\r\nG'))
  parsers.rest()
  const broken = parser.execute(Buffer.from('ET / HTTP/1.1\r\nA : b\r\n\r\n'))
  parser.remove()
  parser.close()
  const isRight =
    parsed === TEST.length && broken instanceof Error && JSON.stringify(seen) === JSON.stringify(TEST_SEEN)
  return isRight ? create : undefined
}

const TEST_SIZE = 16_384
const TEST = 'POST /a HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\nhi'
const TEST_SEEN = ['POST', '/a', ['Host', 'b', 'Content-Length', '2'], true, false, 'hi', 'end', 'idle']

/** The methods by the numbers that the parser has for them. `undefined` if it reports none for one of Node's methods. */
function createNumbers({ Parser, List, codes }: Natives): readonly string[] | undefined {
  const numbers: string[] = []
  const list = new List()
  for (const method of METHODS) {
    let found: unknown
    const parser = new Parser()
    parser.initialize(codes.REQUEST, {}, TEST_SIZE, codes.kLenientNone, list)
    Reflect.set(parser, codes.kOnHeadersComplete, (...head: readonly unknown[]) => {
      found = head[3]
      return 2
    })
    const target = method === 'CONNECT' ? 'a:1' : '/'
    parser.execute(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n`))
    parser.remove()
    parser.close()
    if (typeof found !== 'number' || numbers[found] !== undefined) return undefined
    numbers[found] = method
  }
  return numbers
}

const NO_LINES: readonly string[] = []

/** A parser as its callbacks see it. */
interface ParserReporting {
  readonly target: ParserTarget | undefined
  /** The lines of a head that has many. */
  lines: readonly string[]
  url: string
}

function createCallbacks(codes: Codes, methods: readonly string[]): Readonly<Record<number, unknown>> {
  return {
    [codes.kOnHeaders](this: ParserReporting, lines: readonly string[], url: string) {
      this.lines = [...this.lines, ...lines]
      this.url += url
    },
    // the parser decides what is passed
    // oxlint-disable-next-line max-params
    [codes.kOnHeadersComplete](
      this: ParserReporting,
      major: number,
      minor: number,
      lines: readonly string[] | undefined,
      method: number,
      url: string | undefined,
      _status: unknown,
      _phrase: unknown,
      upgrade: boolean,
      keepAlive: boolean,
    ) {
      const target = url ?? this.url
      const all = lines ?? this.lines
      this.lines = NO_LINES
      this.url = ''
      const head = { major, minor, method: methods[method] ?? '', target, lines: all, upgrade, keepAlive }
      return this.target?.onHead(head) ?? 0
    },
    [codes.kOnBody](this: ParserReporting, chunk: Uint8Array) {
      this.target?.onBody(chunk)
    },
    [codes.kOnMessageComplete](this: ParserReporting) {
      // trailers, which no application gets
      this.lines = NO_LINES
      this.url = ''
      this.target?.onMessage()
    },
    [codes.kOnExecute](this: ParserReporting, result: number | Error) {
      this.target?.onParsed(result)
    },
  }
}

function createParsers({ Parser, List, codes }: Natives, methods: readonly string[]): CreateParsers {
  class TargetParser extends Parser implements ParserReporting {
    target: ParserTarget | undefined
    lines = NO_LINES
    url = ''
    /** Held, because a parser that is freed after its server still leaves the list. */
    readonly list: NativeList

    constructor(list: NativeList) {
      super()
      this.list = list
    }
  }
  // of the class, because five functions on each of many connections take memory
  Object.assign(TargetParser.prototype, createCallbacks(codes, methods))
  return (maxHeaderSize) => {
    const list = new List()
    return {
      open: (target) => {
        const parser = new TargetParser(list)
        parser.target = target
        parser.initialize(codes.REQUEST, {}, maxHeaderSize, codes.kLenientNone, list)
        return parser
      },
      expire: (headers, request) => {
        for (const parser of list.expired(headers, request))
          if (parser instanceof TargetParser) parser.target?.onTimeout()
      },
      rest: () => {
        for (const parser of list.idle()) if (parser instanceof TargetParser) parser.target?.onIdle()
      },
    }
  }
}
