/** Milliseconds since 1970, or `undefined` if it is no moment. */
export function toTime(moment: unknown): number | undefined {
  if (moment instanceof Date) return Number.isNaN(moment.getTime()) ? undefined : moment.getTime()
  if (typeof moment !== 'string' || !MOMENT.test(moment)) return undefined
  const time = Date.parse(moment)
  // Date.parse takes 2026-02-30 for the second of March
  const day = new Date(Date.parse(moment.slice(0, 10)))
  return Number.isNaN(time) ||
    Number.isNaN(day.getTime()) ||
    day.toISOString().slice(0, 10) !== moment.slice(0, 10)
    ? undefined
    : time
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
