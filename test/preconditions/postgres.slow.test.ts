import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { PGlite } from '@electric-sql/pglite'
import { defineController, notFound } from 'octavo'
import { preconditions } from 'octavo/preconditions'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Account = z.object({ id: z.int(), total: z.int(), version: z.int() })
type AccountRow = z.infer<typeof Account>

const EDITS = 250
const CLIENTS = 50
const ACCOUNTS = 25

describe('changes of rows in PostgreSQL', () => {
  let database: PGlite
  before(async () => {
    database = await PGlite.create()
    await database.exec(`
      create table accounts (id int primary key, total int not null, version int not null);
      insert into accounts select id, 0, 1 from generate_series(1, ${ACCOUNTS}) as id;
    `)
  })
  after(() => database.close())

  it(`lose none of ${EDITS} edits by ${CLIENTS} clients at the same time`, async () => {
    const find = async (id: number): Promise<AccountRow | undefined> =>
      (await database.query<AccountRow>('select * from accounts where id = $1', [id])).rows[0]
    const unchanged = preconditions({
      etag: (account: AccountRow) => account.version,
      current: ({ params }: { params: { id: number } }) => find(params.id),
      required: true,
    })
    const controller = defineController({
      name: 'accounts',
      prefix: '/accounts/{id:int}',
      interceptors: [unchanged],
      routes: [
        {
          method: 'GET',
          response: Account,
          handler: async ({ params }) => {
            const found = await find(params.id)
            if (found === undefined) throw notFound()
            return found
          },
        },
        {
          method: 'PUT',
          input: { body: z.object({ total: z.int() }) },
          response: Account,
          handler: async ({ params, body }, context) => {
            const { rows } = await database.query<AccountRow>(
              'update accounts set total = $3, version = version + 1 where id = $1 and version = $2 returning *',
              [params.id, unchanged.checked(context)?.version, body.total],
            )
            const [changed] = rows
            if (changed === undefined) throw unchanged.failed()
            return changed
          },
        },
      ],
    })
    const app = serve(controller)
    let left = EDITS
    let refused = 0
    const client = async (number: number): Promise<void> => {
      while (left-- > 0) {
        // two clients to each row
        const url = `/accounts/${(number % ACCOUNTS) + 1}`
        for (;;) {
          const { headers, body } = await app.inject({ url })
          const { total } = Account.parse(JSON.parse(body))
          const sent = { 'if-match': String(headers['etag']) }
          const { statusCode } = await app.inject({
            method: 'PUT',
            url,
            headers: sent,
            body: { total: total + 1 },
          })
          if (statusCode === 200) break
          assert.equal(statusCode, 412)
          refused++
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
    const { rows } = await database.query('select sum(total)::int as edits from accounts')
    assert.deepEqual(rows, [{ edits: EDITS }])
    assert.ok(refused > 0, 'no two edits met')
  })
})
