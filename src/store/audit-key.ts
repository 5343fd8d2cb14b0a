// Ed25519 key that signs anchors of the chain and exports. It lies in the state folder, which no tool and no sandbox can read.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify
} from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'

export const auditKeyPath = (stateDir: string) => path.join(stateDir, 'audit-key.pem')

/** A key whose file cannot be read as one. */
class AuditKeyError extends Error {
  constructor(file: string, cause: unknown) {
    super(
      `the audit key ${file} is not an Ed25519 private key: restore a copy of the file, or remove the file so that the ` +
        'server creates a new key',
      {
        cause
      }
    )
    this.name = 'AuditKeyError'
  }
}

export class AuditKey {
  readonly #key: KeyObject
  /** The public part: 32 bytes in base64url. */
  readonly publicKey: string

  private constructor(key: KeyObject) {
    this.#key = key
    this.publicKey = createPublicKey(key).export({ format: 'jwk' }).x!
  }

  /** Reads the key of a state folder; undefined if it has none. */
  static read(stateDir: string): AuditKey | undefined {
    const file = auditKeyPath(stateDir)
    let pem: string
    try {
      pem = readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    try {
      chmodSync(file, 0o600)
    } catch {
      // Some mounted file systems have no modes.
    }
    try {
      const key = createPrivateKey(pem)
      if (key.asymmetricKeyType !== 'ed25519') throw new Error(`the type of the key is ${key.asymmetricKeyType}`)
      return new AuditKey(key)
    } catch (error) {
      throw new AuditKeyError(file, error)
    }
  }

  /** Reads the key of a state folder, and makes one if it has none. */
  static open(stateDir: string): AuditKey {
    return AuditKey.read(stateDir) ?? AuditKey.#create(stateDir)
  }

  /** Another process may be faster: its key is the one then. */
  static #create(stateDir: string): AuditKey {
    const file = auditKeyPath(stateDir)
    const { privateKey } = generateKeyPairSync('ed25519')
    const temp = `${file}.${process.pid}.${performance.now()}`
    const fd = openSync(temp, 'wx', 0o600)
    try {
      writeSync(fd, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
      fsyncSync(fd)
      linkSync(temp, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      closeSync(fd)
      rmSync(temp, { force: true })
    }
    return AuditKey.read(stateDir)!
  }

  /** Derives a secret for a purpose, which is the same as long as the key is. */
  deriveSecret(purpose: string): Buffer {
    return createHmac('sha256', this.#key.export({ type: 'pkcs8', format: 'der' }))
      .update(purpose)
      .digest()
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64url')
  }
}

/** Checks a signature with a public key as `publicKey` has it. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}
