// Signed payloads that travel through a client, so that the server needs to store nothing.
import { isTimingSafeEqual } from './timing-safe-equal.ts'

/** Returns the signature of a text, in base64url. */
type Sign = (text: string) => string

export function signPayload(value: unknown, sign: Sign): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${sign(text)}`
}

/** Verifies a payload; undefined if it was not signed this way. */
export function verifyPayload<T>(signed: string, sign: Sign): T | undefined {
  const [text = '', signature = '', ...more] = signed.split('.')
  if (more.length > 0 || !isTimingSafeEqual(signature, sign(text))) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as T
}
