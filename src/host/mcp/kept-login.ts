// What a login to a server gave, kept for as long as it holds: in the state folder, for its owner alone to read.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

export interface Kept {
  client?: StoredOAuthClientInformation | undefined
  tokens?: StoredOAuthTokens | undefined
  verifier?: string | undefined
  discovery?: OAuthDiscoveryState | undefined
}

export class KeptLogin {
  readonly #file: string

  /** Of the server with that name at that address: at another one nothing of it is known. */
  constructor(folder: string, name: string, url: string) {
    const id = createHash('sha256')
      .update(JSON.stringify([name, url]))
      .digest('hex')
      .slice(0, 32)
    this.#file = path.join(folder, `${id}.json`)
  }

  read(): Kept {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Kept
    } catch {
      return {}
    }
  }

  /** Written beside and put in place, so that it is never half there. */
  keep(part: Kept) {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
    const draft = `${this.#file}.${process.pid}`
    rmSync(draft, { force: true })
    writeFileSync(draft, JSON.stringify({ ...this.read(), ...part }), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, this.#file)
  }

  forget() {
    rmSync(this.#file, { force: true })
  }
}
