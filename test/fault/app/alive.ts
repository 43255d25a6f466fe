/** What is alive in the application beside what node:http has. */
export interface Alive {
  scopes: number
  sources: number
}

/** The message of errors that are no finding. */
export const MEANT = 'This error is meant'
