import { z } from 'zod'

import type { Database } from './database.ts'

const TABLES = [
  `CREATE TABLE IF NOT EXISTS accounts (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    password text NOT NULL,
    role text NOT NULL DEFAULT 'customer')`,
  `CREATE TABLE IF NOT EXISTS articles (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    cents integer NOT NULL CHECK (cents > 0),
    stock integer NOT NULL CHECK (stock >= 0))`,
  `CREATE TABLE IF NOT EXISTS orders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts,
    placed_at timestamptz NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS order_lines (
    order_id integer NOT NULL REFERENCES orders,
    article_id integer NOT NULL REFERENCES articles,
    quantity integer NOT NULL CHECK (quantity > 0),
    cents integer NOT NULL,
    PRIMARY KEY (order_id, article_id))`,
]

const ARTICLES = `INSERT INTO articles (name, cents, stock)
  VALUES ('Teapot', 2900, 10), ('Cup', 800, 60), ('Golden kettle', 99000, 1) ON CONFLICT DO NOTHING`

/** Makes what is missing: everything in a new database, nothing in one that has been used. */
export async function createTables(database: Database): Promise<void> {
  const transaction = await database.begin()
  try {
    // several processes may start at once
    await transaction.query(z.unknown(), 'SELECT pg_advisory_xact_lock(7001)')
    for (const sql of [...TABLES, ARTICLES]) await transaction.query(z.unknown(), sql)
    await transaction.commit()
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
