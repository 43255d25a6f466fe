import { defineErrorFormat, ValidationError } from 'octavo'
import { z } from 'zod'

/** `{ "errors": { "email": ["can't be empty"] } }`; errors that are about no field are those of `body`. */
export const errorFormat = defineErrorFormat({
  schema: z.object({ errors: z.record(z.string(), z.array(z.string())) }).meta({ id: 'Errors' }),
  format: (error) => {
    const found =
      error instanceof ValidationError
        ? error.errors.map(({ path, message }) => [String(path.at(-1) ?? 'body'), message] as const)
        : [['body', error.detail ?? error.title] as const]
    const fields = new Set(found.map(([field]) => field))
    const messagesOf = (field: string): string[] => found.flatMap(([of, text]) => (of === field ? text : []))
    return { errors: Object.fromEntries([...fields].map((field) => [field, messagesOf(field)])) }
  },
})

/** A text with something in it. */
export const Text = z.string("can't be empty").trim().min(1, "can't be empty").max(10_000)
