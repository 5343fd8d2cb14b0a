// Proof that a server knows a token, given to a client before that sends the token: after a server has ended, any program may listen
// at its address. A proof covers a challenge of the client and the address that it asked, so that no other program can obtain it
// from the server elsewhere.
import { createHash, randomBytes } from 'node:crypto'

/** Query of `GET /health`. `key` identifies the token. */
export interface ProofRequest {
  challenge: string
  key: string
}

const KEY_ID_CHARACTERS = 16

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns a request for a proof of this token. */
export const requestProof = (token: string): ProofRequest => ({
  challenge: randomBytes(16).toString('hex'),
  key: keyIdOf(digestOfToken(token))
})

/** Checks the proof of a server that was asked at `host`, its address with the port, as in the Host header. */
export const isProven = (proof: unknown, token: string, host: string, { challenge }: ProofRequest): boolean =>
  proof === proofOf(digestOfToken(token), challenge, host)

/** Returns the proof of one of the tokens with these digests; undefined for any other token. */
export function proveToken(digests: readonly string[], host: string, { challenge, key }: ProofRequest) {
  const digest = digests.find(each => keyIdOf(each) === key)
  return digest === undefined ? undefined : proofOf(digest, challenge, host)
}

export const digestOfToken = sha256

const keyIdOf = (digest: string) => sha256(`key\n${digest}`).slice(0, KEY_ID_CHARACTERS)

/** Hashes twice, as HMAC does, but over text alone, which every client can hash. */
const proofOf = (digest: string, challenge: string, host: string) =>
  sha256(`${digest}\n${sha256(`${digest}\n${challenge}\n${host}`)}`)
