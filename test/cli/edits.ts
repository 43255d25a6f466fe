/** A text of a file that becomes another one. */
export type TextEdit = readonly [file: string, from: string, to: string]

/** An edit that a developer makes in one go. */
export interface OwnEdit {
  readonly title: string
  readonly edits: readonly TextEdit[]
  /** The files of the changes that are written, without their extensions. */
  readonly changes: readonly string[]
  /** Code that they hold. */
  readonly code?: string
  /** The values that the developer fills in, each everywhere. */
  readonly fill?: readonly (readonly [from: string, to: string])[]
  /** The members whose values nobody keeps. */
  readonly lost?: readonly string[]
  /** Whether the command is told to be strict, because only warnings differ. */
  readonly isStrict?: boolean
  /** The difference that no change describes, as the command names it, and how the developer mends it. */
  readonly left?: { readonly named: string; readonly mended: readonly TextEdit[] }
}

const MODELS = 'src/models.ts'
const BOOKS = 'src/books.ts'

const FIND = `    {
      method: 'GET',
      path: '/found',
      name: 'find',
      input: { query: z.object({ text: z.string(), genre: z.string().optional(), limit: z.int().default(20) }) },
      response: z.object({ found: z.array(z.string()), limit: z.int() }),
      handler: ({ query, inject }) => ({
        found: inject.books.list().flatMap(({ title }) => (title.includes(query.text) ? [title] : [])),
        limit: query.limit,
      }),
    },
`

/** The row that is there at the start. */
const ROW =
  "name: 'Mary Evans', price: 9.5, series: 'Classics', genre: 'novel' as const, pages: 880, note: 'old', lang: 'en', shop: { street: 'High St', city: 'York' } }"

/** What the released project has more than the one of `octavo init`. */
export const SEED: readonly TextEdit[] = [
  [
    MODELS,
    '  author: z.string().min(1),\n',
    `  author: z.string().min(1),
  name: z.string(),
  price: z.number(),
  series: z.string(),
  genre: z.enum(['novel', 'poetry', 'drama']),
  pages: z.int(),
  note: z.string().optional(),
  lang: z.string().default('en'),
  shop: z.object({ street: z.string(), city: z.string() }),
`,
  ],
  [BOOKS, "author: 'George Eliot' }", `author: 'George Eliot', ${ROW}`],
  [BOOKS, 'const rows = new Map([[1, {', 'const rows = new Map<number, z.infer<typeof Book>>([[1, {'],
  [
    BOOKS,
    '/** The routes',
    `export const Shelved = defineProblem({ code: 'shelved', status: 409, title: 'The book is shelved' })

/** The routes`,
  ],
  [
    BOOKS,
    '      handler: ({ body, inject }) => inject.books.add(body),\n    },\n',
    `      handler: ({ body, inject }) => inject.books.add(body),
    },
${FIND}    {
      method: 'POST',
      path: '/{id:int}/orders',
      name: 'order',
      status: 200,
      problems: [Shelved],
      input: { body: z.object({ count: z.int(), to: z.string() }) },
      response: z.object({ count: z.int(), state: z.enum(['open', 'sent']) }),
      handler: ({ params, body }) => {
        if (params.id > 5) throw Shelved('Ask for it')
        return { count: body.count, state: 'open' as const }
      },
    },
`,
  ],
]

const BOOK = {
  title: 'Emma',
  name: 'Jane Austen',
  price: 7.25,
  series: 'Pocket',
  genre: 'drama',
  pages: 474,
  shop: { street: 'Low St', city: 'Bath' },
}

/** The requests that clients of the released versions send. */
export const REQUESTS: readonly object[] = ['1', '2'].flatMap((version) => {
  const url = `/v${version}/books`
  const author = version === '1' ? 'writer' : 'author'
  const json = { ...BOOK, [author]: 'Jane Austen' }
  return [
    { url },
    { url: `${url}/1` },
    { url: `${url}/99` },
    { method: 'POST', url, json },
    { method: 'POST', url, json: { ...json, note: 'new', lang: 'fr', genre: 'poetry' } },
    { method: 'POST', url, json: { ...json, title: undefined } },
    { url: `${url}/2` },
    { url: `${url}/found?text=Emma` },
    { url: `${url}/found?text=Emma&limit=5&genre=drama` },
    { url: `${url}/found` },
    { method: 'POST', url: `${url}/1/orders`, json: { count: 2, to: 'Ann' } },
    { method: 'POST', url: `${url}/7/orders`, json: { count: 2, to: 'Ann' } },
    { method: 'POST', url: `${url}/1/orders`, json: { count: 'two' } },
    { url },
  ]
})

/** Replaces a member of the row that is there at the start. */
const row = (from: string, to: string): TextEdit => [BOOKS, ROW, ROW.replace(from, to)]

/** Adds a route. */
const route = (text: string): TextEdit => [BOOKS, '  routes: [\n', `  routes: [\n    ${text},\n`]

export const EDITS: readonly OwnEdit[] = [
  {
    title: 'a renamed field',
    edits: [[MODELS, '  name: z', '  alias: z'], row('name:', 'alias:')],
    changes: ['name-of-books-is-called-alias'],
    code: "alias: { was: 'name' }",
  },
  {
    title: 'a name in two parts beside a price in cents',
    edits: [
      [
        MODELS,
        '  name: z.string(),\n  price: z.number()',
        '  firstName: z.string(),\n  lastName: z.string(),\n  priceCents: z.int()',
      ],
      row("name: 'Mary Evans', price: 9.5", "firstName: 'Mary', lastName: 'Evans', priceCents: 950"),
    ],
    changes: ['books-have-firstname-and-lastname-instead-of-name', 'books-have-pricecents-instead-of-price'],
    fill: [
      ["firstName: fillIn('string')", "firstName: name.split(' ')[0] ?? ''"],
      ["lastName: fillIn('string')", "lastName: name.split(' ')[1] ?? ''"],
      ["name: fillIn('string')", 'name: `${firstName} ${lastName}`'],
      ["priceCents: fillIn('number')", 'priceCents: price * 100'],
      ["price: fillIn('number')", 'price: priceCents / 100'],
    ],
  },
  {
    title: 'a renamed field beside a new one',
    edits: [
      [MODELS, '  name: z.string(),', '  fullName: z.string(),\n  isbn: z.string(),'],
      row('name:', "isbn: '1', fullName:"),
    ],
    changes: ['books-have-an-isbn', 'name-of-books-is-called-fullname'],
    fill: [["fillIn('string')", "'0'"]],
  },
  {
    title: 'a renamed field beside one that is gone',
    edits: [
      [MODELS, '  name: z.string(),\n  price: z.number(),', '  listPrice: z.number(),'],
      row("name: 'Mary Evans', price:", 'listPrice:'),
    ],
    changes: ['books-no-longer-have-a-name', 'price-of-books-is-called-listprice'],
    fill: [["fillIn('string')", "'Mary Evans'"]],
    lost: ['name'],
  },
  {
    title: 'two renamed fields of one schema',
    edits: [
      [MODELS, '  name: z', '  penName: z'],
      [MODELS, '  series: z', '  seriesTitle: z'],
      row('name:', 'penName:'),
      [BOOKS, "series: 'Cl", "seriesTitle: 'Cl"],
    ],
    changes: ['name-of-books-is-called-penname', 'series-of-books-is-called-seriestitle'],
  },
  {
    title: 'a changed default',
    edits: [[MODELS, "default('en')", "default('la')"]],
    isStrict: true,
    changes: ['lang-of-books-is-la-by-default'],
    code: "lang: { was: z.string().default('en') }",
  },
  {
    title: 'a changed default of a parameter',
    edits: [[BOOKS, 'default(20)', 'default(50)']],
    isStrict: true,
    changes: ['the-parameter-limit-is-50-by-default-in-get-books-found'],
    code: 'limit: { was: z.int().default(20) }',
  },
  {
    title: 'an enum that has one value more',
    edits: [[MODELS, "'drama'])", "'drama', 'essay'])"]],
    isStrict: true,
    changes: ['genre-of-books-can-be-essay'],
  },
  {
    title: 'an enum that has one value less',
    edits: [[MODELS, ", 'poetry'", '']],
    changes: ['genre-of-books-is-no-longer-poetry'],
    fill: [["fillIn(\"'novel' | 'drama'\")", "'novel'"]],
    lost: ['genre'],
  },
  {
    title: 'an optional field that is required',
    edits: [[MODELS, '  note: z.string().optional()', '  note: z.string()']],
    changes: ['note-of-books-is-required'],
    fill: [["fillIn('string')", "'none'"]],
    lost: ['note'],
  },
  {
    title: 'a required field that is optional',
    edits: [[MODELS, '  pages: z.int()', '  pages: z.int().optional()'], row('pages: 880, ', '')],
    changes: ['pages-of-books-is-optional'],
    fill: [["fillIn('number')", '880']],
  },
  {
    title: 'a field that can be null',
    edits: [[MODELS, '  name: z.string()', '  name: z.string().nullable()']],
    changes: ['name-of-books-can-be-null'],
  },
  {
    title: 'a field of another type',
    edits: [
      [MODELS, '  pages: z.int()', '  pages: z.string().regex(/^\\d+$/)'],
      row('pages: 880', "pages: '880'"),
    ],
    changes: ['pages-of-books-is-a-string'],
  },
  {
    title: 'a field that is a list',
    edits: [
      [MODELS, '  name: z.string()', '  name: z.array(z.string())'],
      row("'Mary Evans'", "['Mary Evans']"),
    ],
    changes: ['name-of-books-is-a-list'],
    fill: [["fillIn('string')", "''"]],
  },
  {
    title: 'an inline object that is a model',
    edits: [
      [
        MODELS,
        '/** A book',
        "export const Shop = model('Shop', { street: z.string(), city: z.string() })\n\n/** A book",
      ],
      [MODELS, 'shop: z.object({ street: z.string(), city: z.string() })', 'shop: Shop'],
    ],
    changes: [],
  },
  {
    title: 'members of a nested object that moved out',
    edits: [
      [
        MODELS,
        'shop: z.object({ street: z.string(), city: z.string() })',
        'street: z.string(),\n  city: z.string()',
      ],
      row("shop: { street: 'High St', city: 'York' }", "street: 'High St', city: 'York'"),
    ],
    changes: ['books-have-street-and-city-instead-of-shop'],
    fill: [
      ["street: fillIn('string')", 'street: shop.street'],
      ["city: fillIn('string')", 'city: shop.city'],
      ["fillIn('{ city: string; street: string }')", '{ street, city }'],
    ],
  },
  {
    title: 'fields that moved into an object beside a new one',
    edits: [
      [
        MODELS,
        '  name: z.string(),\n  price: z.number(),',
        '  sale: z.object({ name: z.string(), price: z.number() }),\n  weight: z.int(),',
      ],
      row("name: 'Mary Evans', price: 9.5", "weight: 3, sale: { name: 'Mary Evans', price: 9.5 }"),
    ],
    changes: ['books-have-a-weight', 'books-have-sale-instead-of-name-and-price'],
    fill: [
      ["fillIn('{ name: string; price: number }')", '{ name, price }'],
      ["name: fillIn('string')", 'name: sale.name'],
      ["price: fillIn('number')", 'price: sale.price'],
      ["weight: fillIn('number')", 'weight: 1'],
    ],
  },
  {
    title: 'a member of a nested object that has another name',
    edits: [[MODELS, 'city: z.string() }', 'town: z.string() }'], row("city: 'York'", "town: 'York'")],
    changes: ['shop-of-books-has-other-values'],
    fill: [
      ["...old, town: fillIn('string')", '...old, town: old.city'],
      ["...now, city: fillIn('string')", 'street: now.street, city: now.town'],
    ],
  },
  {
    title: 'a new model with a route of its own',
    edits: [
      [MODELS, '/** A book', "export const Shop = model('Shop', { city: z.string() })\n\n/** A book"],
      [BOOKS, 'import { Book, NewBook }', 'import { Book, NewBook, Shop }'],
      route(
        "{ method: 'GET', path: '/shop', name: 'shop', response: Shop, handler: () => ({ city: 'York' }) }",
      ),
    ],
    changes: [],
  },
  {
    title: 'a page instead of a list',
    edits: [
      [
        BOOKS,
        `response: z.array(Book),
      handler: ({ inject }) => inject.books.list(),`,
        `input: { query: z.object({ offset: z.int().default(0) }) },
      response: z.object({ items: z.array(Book), total: z.int() }),
      handler: ({ query: { offset }, inject }) => ({
        items: [...inject.books.list()].slice(offset, offset + 2),
        total: [...inject.books.list()].length,
      }),`,
      ],
    ],
    changes: ['get-books-returns-an-object-instead-of-a-list'],
    code: 'paged: {',
  },
  {
    title: 'another status',
    edits: [[BOOKS, 'response: { 201: Book }', 'response: { 200: Book }']],
    changes: ['post-books-answers-200-instead-of-201'],
  },
  {
    title: 'another path',
    edits: [[BOOKS, "path: '/found'", "path: '/search'"]],
    changes: ['get-books-found-is-now-get-books-search'],
  },
  {
    title: 'another method',
    edits: [
      [
        BOOKS,
        "method: 'POST',\n      path: '/{id:int}/orders'",
        "method: 'PUT',\n      path: '/{id:int}/orders'",
      ],
    ],
    changes: ['post-books-id-orders-is-now-put-books-id-orders'],
  },
  {
    title: 'a parameter that has another name',
    edits: [
      [BOOKS, 'object({ text: z', 'object({ term: z'],
      [BOOKS, 'query.text', 'query.term'],
    ],
    changes: ['the-parameter-text-is-called-term-in-get-books-found'],
  },
  {
    title: 'a parameter that is required',
    edits: [[BOOKS, 'genre: z.string().optional()', 'genre: z.string()']],
    changes: ['the-parameter-genre-is-required-in-get-books-found'],
    fill: [["fillIn('string')", "'any'"]],
  },
  {
    title: 'a parameter that is gone',
    edits: [[BOOKS, 'genre: z.string().optional(), ', '']],
    isStrict: true,
    changes: ['the-parameter-genre-is-gone-from-get-books-found'],
  },
  {
    title: 'a new parameter that is required',
    edits: [[BOOKS, 'object({ text: z', 'object({ shelf: z.string(), text: z']],
    changes: ['the-parameter-shelf-is-required-in-get-books-found'],
    fill: [["fillIn('string')", "'any'"]],
  },
  {
    title: 'a new route',
    edits: [route("{ method: 'GET', path: '/count', name: 'count', response: z.int(), handler: () => 1 }")],
    changes: [],
  },
  {
    title: 'a removed route',
    edits: [[BOOKS, FIND, '']],
    changes: [],
    left: {
      named: 'GET /v2/books/found',
      mended: [
        route(FIND.trim().replace("name: 'find',", "name: 'find',\n      version: '<=2',").slice(0, -1)),
      ],
    },
  },
  {
    title: 'another inline body',
    edits: [
      [
        BOOKS,
        'body: z.object({ count: z.int(), to: z.string() })',
        'body: z.object({ amount: z.int(), to: z.string() })',
      ],
      [BOOKS, 'count: body.count', 'count: body.amount'],
    ],
    changes: ['post-books-id-orders-takes-amount-instead-of-count'],
    fill: [["fillIn('number')", 'old.count']],
  },
  {
    title: 'an inline body that is a model',
    edits: [
      [
        MODELS,
        '/** A book',
        "export const Order = model('Order', { count: z.int(), to: z.string() })\n\n/** A book",
      ],
      [BOOKS, 'import { Book, NewBook }', 'import { Book, NewBook, Order }'],
      [BOOKS, 'body: z.object({ count: z.int(), to: z.string() })', 'body: Order'],
    ],
    changes: [],
  },
  {
    title: 'a problem that has another code',
    edits: [[BOOKS, "code: 'shelved'", "code: 'on_shelf'"]],
    isStrict: true,
    changes: ['the-problem-shelved-of-post-books-id-orders-is-called-on-shelf'],
  },
  {
    title: 'several at once',
    edits: [
      [MODELS, '  name: z.string(),\n', '  penName: z.string(),\n'],
      [MODELS, '  price: z.number()', '  priceCents: z.int()'],
      [MODELS, "'drama'])", "'drama', 'essay'])"],
      [MODELS, '  note: z.string().optional()', '  note: z.string()'],
      row('name:', 'penName:'),
      [BOOKS, 'price: 9.5', 'priceCents: 950'],
      [BOOKS, "path: '/found'", "path: '/search'"],
      [BOOKS, 'object({ text: z', 'object({ term: z'],
      [BOOKS, 'query.text', 'query.term'],
    ],
    changes: [
      'books-have-pricecents-instead-of-price',
      'get-books-found-is-now-get-books-search',
      'name-of-books-is-called-penname',
      'note-of-books-is-required',
      'the-parameter-text-is-called-term-in-get-books-search',
    ],
    fill: [
      [
        "note: { was: z.string().optional(), up: (old) => old ?? fillIn('string') }",
        "note: { was: z.string().optional(), up: (old) => old ?? 'none' }",
      ],
      ["priceCents: fillIn('number')", 'priceCents: price * 100'],
      ["price: fillIn('number')", 'price: priceCents / 100'],
    ],
    lost: ['note'],
  },
]
