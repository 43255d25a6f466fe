import { PGlite } from '@electric-sql/pglite'
import { Config, conflict, defineProvider, unprocessable } from 'octavo'

import { Settings } from './settings.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS users (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username text NOT NULL UNIQUE, email text NOT NULL UNIQUE, password text NOT NULL, bio text, image text);
  CREATE TABLE IF NOT EXISTS articles (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    author_id integer NOT NULL REFERENCES users,
    slug text NOT NULL UNIQUE, title text NOT NULL, description text NOT NULL, body text NOT NULL, tags text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS favorites (
    user_id integer REFERENCES users, article_id integer REFERENCES articles ON DELETE CASCADE,
    PRIMARY KEY (user_id, article_id));`

/** Rows of SQL: response schemas check them before they are sent. */
export type Query = <Row>(sql: string, ...parameters: unknown[]) => Promise<Row[]>

/** PostgreSQL inside this process. Values that it cannot keep are a 422; those that have to be unique and are taken, a 409. */
export const Db = defineProvider({
  name: 'Db',
  inject: { settings: Config.of(Settings) },
  create: async ({ settings }) => {
    const database = await PGlite.create(settings.databaseUrl)
    await database.exec(TABLES)
    const query: Query = async <Row>(sql: string, ...parameters: unknown[]) => {
      if (parameters.flat().some((value) => typeof value === 'string' && value.includes('\0')))
        throw unprocessable('has a character that is not allowed')
      try {
        return (await database.query<Row>(sql, parameters)).rows
      } catch (error) {
        const taken = error instanceof Error && 'code' in error && error.code === '23505'
        throw taken ? conflict('is taken by another one') : error
      }
    }
    return { query, close: () => database.close() }
  },
  dispose: (database) => database.close(),
})
