// Fixture: the keys of a browser that receives web push, and what it reads.
import { createECDH, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { ReceivedRequest } from './http-service.ts'

/** The reference implementation of RFC 8188, which has no types. */
const ece: { decrypt(body: Buffer, options: object): Buffer } = createRequire(import.meta.url)('http_ece')

/** Creates the keys of a browser. */
export function createBrowser(endpoint: string) {
  const pair = createECDH('prime256v1')
  const auth = randomBytes(16)
  const p256dh = pair.generateKeys('base64url')
  return {
    subscription: { endpoint, keys: { p256dh, auth: auth.toString('base64url') } },
    read: ({ body }: ReceivedRequest) =>
      JSON.parse(
        ece.decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: auth.toString('base64url') }).toString()
      )
  }
}
