// Rule sets of a hub as they travel: the text of a set, and its signature with the key that the processes of the hub have. Control of the
// database of the hub, or of a proxy before it, is not enough to make a set that servers accept.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { ToolError } from '../errors.ts'

/** Maximum size of the text of a set. */
export const MAX_RULE_SET_BYTES = 256 * 1024
/** Precedes what is signed, so that a signature is valid for a rule set alone. */
const SIGNED_PREFIX = 'toolgate rule set 1\n'

export interface SignedRuleSet {
  /** JSON of a RuleSetContent. */
  payload: string
  /** Ed25519, in base64url. */
  signature: string
  /** The public key of the signature. */
  key: string
}

/** The content of a rule set, whose rules may not be valid here. */
export interface RuleSetContent {
  /** Larger than those of all sets before. */
  version: number
  saved_at: string
  /** Name of the person who saved it. */
  saved_by: string
  rules: unknown
}

export class RuleSigner {
  /** The public key, in base64url. */
  readonly key: string
  readonly #privateKey: KeyObject

  /** Takes a private Ed25519 key in PEM form, as `openssl genpkey -algorithm ed25519` writes it. Throws INVALID_PARAMS for anything else. */
  constructor(pem: string) {
    this.#privateKey = parsePrivateKey(pem)
    this.key = createPublicKey(this.#privateKey).export({ format: 'jwk' }).x!
  }

  sign(content: RuleSetContent): SignedRuleSet {
    const payload = JSON.stringify(content)
    return { payload, signature: sign(null, toSigned(payload), this.#privateKey).toString('base64url'), key: this.key }
  }
}

/** Returns the content of a set. Throws FORBIDDEN unless this key has signed it, INVALID_PARAMS if it is too large or malformed. */
export function verifyRuleSet({ payload, signature, key }: SignedRuleSet, trustedKey: string): RuleSetContent {
  if (Buffer.byteLength(payload) > MAX_RULE_SET_BYTES)
    throw new ToolError('INVALID_PARAMS', `The rule set is larger than ${MAX_RULE_SET_BYTES} bytes.`)
  if (key !== trustedKey)
    throw new ToolError(
      'FORBIDDEN',
      `The rule set is signed with the key ${key}, but the key of the hub is ${trustedKey}.`
    )
  if (!verify(null, toSigned(payload), toPublicKey(trustedKey), Buffer.from(signature, 'base64url')))
    throw new ToolError('FORBIDDEN', 'The signature of the rule set is invalid.')
  const content = JSON.parse(payload) as RuleSetContent
  if (!Number.isSafeInteger(content.version) || content.version < 1)
    throw new ToolError('INVALID_PARAMS', 'The rule set has no valid version.')
  return content
}

const toSigned = (payload: string) => Buffer.from(SIGNED_PREFIX + payload)

const toPublicKey = (key: string) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })

function parsePrivateKey(pem: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = createPrivateKey(pem)
  } catch {
    // The message of the parser could quote the key.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key
  throw new ToolError(
    'INVALID_PARAMS',
    'The file must contain an Ed25519 private key in PEM form. To create a key: openssl genpkey -algorithm ed25519'
  )
}
