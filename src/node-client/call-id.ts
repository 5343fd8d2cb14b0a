// Ids for calls that a client may send again: the server runs a call with a known id only once.
import { randomBytes } from 'node:crypto'

const CROCKFORD_BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a random id. Unlike ids of the server, it does not contain the time. */
export const randomCallId = () => `tc_${Array.from(randomBytes(26), byte => CROCKFORD_BASE32[byte % 32]).join('')}`
