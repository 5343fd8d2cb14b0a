// Texts that travel through a client and come back as they were: sealed by the token they were made for, so that they are
// worth nothing with another token, and nothing has to be kept for them.
import { createHmac, timingSafeEqual } from 'node:crypto'

export function signPayload(value: unknown, token: string): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${computeMac(text, token).toString('base64url')}`
}

/** What was sealed; undefined where it was not sealed by this token, or not by us. */
export function verifyPayload<T>(sealed: string, token: string): T | undefined {
  const [text = '', mac = '', ...more] = sealed.split('.')
  const given = Buffer.from(mac, 'base64url')
  const right = computeMac(text, token)
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as T
}

const computeMac = (text: string, token: string) => createHmac('sha256', `toolgate mcp ${token}`).update(text).digest()
