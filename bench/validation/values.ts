/** A value to validate. */
export interface Sample {
  readonly name: string
  /** Makes the value anew, as a parser does for each request. */
  readonly make: () => unknown
  /** Where its problems are, as `a.b.0`, sorted; none when it is valid. */
  readonly problems: readonly string[]
}

/** The schemas that values are validated with. */
export type Kind = 'small' | 'nested' | 'query'

const small = (): object => ({ name: 'Ford', year: 2026, isNew: true, tags: ['blue', 'estate'] })
const smallWrong = (): object => ({ name: '', year: '2026', isNew: true, tags: ['blue', 7] })

const line = (index: number): object => ({
  sku: `AB-${1000 + index}`,
  amount: index + 1,
  price: { currency: 'EUR', cents: 1250 * (index + 1) },
})
const person = { name: 'Jane Doe', age: 41 }
const address = { street: 'Long Road 1', city: 'Springfield', code: '12345', country: 'DE' }
const nested = (): object => ({
  customer: { ...person, address: { ...address } },
  lines: Array.from({ length: 5 }, (_, index) => line(index)),
  note: 'ring twice',
})
const nestedWrong = (): object => ({
  customer: { ...person, address: { ...address, code: '123' } },
  lines: Array.from({ length: 5 }, (_, index) => (index === 3 ? { ...line(index), amount: 0 } : line(index))),
})

const query = (): object => ({ limit: '20', offset: '40', sort: 'year', search: 'ford' })
const queryWrong = (): object => ({ limit: 'many', offset: '40', sort: 'size', search: 'ford' })

export const SAMPLES: Readonly<Record<Kind, readonly Sample[]>> = {
  small: [
    { name: 'small body, valid', make: small, problems: [] },
    { name: 'small body, 3 problems', make: smallWrong, problems: ['name', 'tags.1', 'year'] },
  ],
  nested: [
    { name: 'nested body, valid', make: nested, problems: [] },
    {
      name: 'nested body, 2 problems',
      make: nestedWrong,
      problems: ['customer.address.code', 'lines.3.amount'],
    },
  ],
  query: [
    { name: 'query, valid', make: query, problems: [] },
    { name: 'query, 2 problems', make: queryWrong, problems: ['limit', 'sort'] },
  ],
}
