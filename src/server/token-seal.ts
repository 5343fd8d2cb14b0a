// Seals the files of issued tokens, and signs links, with a key that lies outside of all state folders, beside the user's configuration: a program that
// can only write in a state folder cannot add a token there, nor bring one from another.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import path from 'node:path'
import { isPrivate } from './private-files.ts'
import { xdgFolder } from './xdg.ts'

const KEY_BYTES = 32
const MAC_BYTES = 16

export class TokenSeal {
  readonly #keyFile: string
  #key: Buffer | undefined

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#keyFile = tokenKeyPath(env)
  }

  /** Returns the seal of a file with this content. Without a key file it is valid for this process. */
  create(file: string, content: string): string {
    this.#key ??= readKey(this.#keyFile) ?? createKey(this.#keyFile)
    return sealOf(this.#key, file, content)
  }

  /** Returns the signature of a text for one purpose, in base64url. Without a key file it is valid for this process. */
  sign(purpose: string, text: string): string {
    this.#key ??= readKey(this.#keyFile) ?? createKey(this.#keyFile)
    const key = createHmac('sha256', this.#key).update(purpose).digest()
    return createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES).toString('base64url')
  }

  isValid(file: string, content: string, seal: string): boolean {
    this.#key ??= readKey(this.#keyFile)
    if (!this.#key) return false
    const [given, own] = [seal, sealOf(this.#key, file, content)].map(text => Buffer.from(text, 'utf8'))
    return given!.length === own!.length && timingSafeEqual(given!, own!)
  }
}

export const tokenKeyPath = (env: Readonly<Record<string, string | undefined>>): string =>
  path.join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', 'tokens.key')

/** Covers the real path, so that a file is valid at its own place only. */
const sealOf = (key: Buffer, file: string, content: string) =>
  createHmac('sha256', key)
    .update(path.join(realpathSync(path.dirname(file)), path.basename(file)))
    .update('\0')
    .update(content)
    .digest('hex')

function readKey(file: string): Buffer | undefined {
  try {
    const key = isPrivate(file, 'isFile') ? Buffer.from(readFileSync(file, 'utf8').trim(), 'hex') : undefined
    return key?.length === KEY_BYTES ? key : undefined
  } catch {
    return undefined
  }
}

/** If no file can be written, or another server was faster, the tokens of this run end with it. */
function createKey(file: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const fd = openSync(file, 'wx', 0o600)
    try {
      writeSync(fd, `${key.toString('hex')}\n`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    return key
  } catch {
    return readKey(file) ?? key
  }
}
