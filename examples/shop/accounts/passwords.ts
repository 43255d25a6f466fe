import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** Salt and hash of a password, as text. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, 32)
  return `${salt.toString('hex')}:${hash.toString('hex')}`
}

/** Whether a password is the one that was hashed; takes as long when there is none, so that nobody learns who has an account. */
export async function verifyPassword(password: string, hashed = NOBODY): Promise<boolean> {
  const [salt = '', hash = ''] = hashed.split(':')
  const found = await derive(password, Buffer.from(salt, 'hex'), 32)
  return timingSafeEqual(found, Buffer.from(hash, 'hex')) && hashed !== NOBODY
}

const NOBODY = await hashPassword(randomBytes(16).toString('hex'))
