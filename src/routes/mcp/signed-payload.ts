// Signed payloads that travel through a client: the signature is bound to its token, so that they are invalid with another one,
// and the server needs to store nothing.
import { createHmac, timingSafeEqual } from 'node:crypto'

export function signPayload(value: unknown, token: string): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${computeMac(text, token).toString('base64url')}`
}

/** Verifies a payload; undefined if it was not signed with this token by this server. */
export function verifyPayload<T>(sealed: string, token: string): T | undefined {
  const [text = '', mac = '', ...more] = sealed.split('.')
  const given = Buffer.from(mac, 'base64url')
  const right = computeMac(text, token)
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as T
}

const computeMac = (text: string, token: string) => createHmac('sha256', `toolgate mcp ${token}`).update(text).digest()
