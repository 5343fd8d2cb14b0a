// Secrets that the hub makes: tokens, codes and sessions. Only their hashes are stored.
import { hash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 24

/** Returns a new secret, whose prefix shows what it is for. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`

/** Returns the hash by which a secret is found. */
export const hashSecret = (secret: string): string => hash('sha256', secret)
