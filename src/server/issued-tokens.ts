// Tokens that were given out while the server ran: to a console, to a program, to an agent. They outlive the server, so the
// disk has them, but only as digests: nobody finds a token there. Each ends by itself, and what it made ends with it.
import { hash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { ToolError } from '../errors.ts'
import { readConfigFile, writeConfigFile } from './config-file.ts'
import type { Holder, Right } from './tokens.ts'

/** What may be told of a token. */
export interface IssuedToken {
  token_id: string
  /** What a person calls it. */
  name: string
  /** `session`: a console traded a code for it. */
  kind: 'token' | 'session'
  rights: Right[]
  agent?: string
  created_at: string
  expires_at: string
  /** The issued token that it was made with: revoked with that one, and gone no later. */
  made_by?: string
}

export interface Wish extends Pick<IssuedToken, 'name' | 'kind' | 'rights'> {
  agent?: string | undefined
  expires_in_ms: number
}

interface Kept extends IssuedToken {
  digest: string
}

interface Known {
  kept: Kept
  holder: Holder
  over: AbortController
  /** As long as this process knows it, so that it is shown nowhere. */
  text?: string
}

/** Of each kind, with the right to approve and without it, so that whoever may only call cannot push out a person. A session
 * more ends the oldest one; a token more is refused. */
const MOST = { token: 64, session: 16 } as const
const VERSION = 1
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class IssuedTokens {
  readonly #file: string
  /** By digest, oldest first. Nobody can choose how a digest begins, so looking one up tells nothing of another. */
  readonly #known: Map<string, Known>
  #next: NodeJS.Timeout | undefined

  /** Refuses a file that others could have written. */
  constructor(file: string) {
    this.#file = file
    this.#known = new Map(readKept(file).map(kept => [kept.digest, knownOf(kept)]))
    this.#endExpired()
  }

  /** Undefined when it is none of these, or none any more. */
  holderOf(bearer: string): Holder | undefined {
    const known = this.#known.get(digestOf(bearer))
    return known && !isOver(known) ? known.holder : undefined
  }

  /** Oldest first. */
  list(): IssuedToken[] {
    return [...this.#known.values()].filter(known => !isOver(known)).map(({ kept }) => told(kept))
  }

  /** Those whose text is known, so that none is told. */
  texts(): string[] {
    return [...this.#known.values()].flatMap(({ text }) => (text === undefined ? [] : [text]))
  }

  /** Makes one. Its text is known to the answer alone. */
  issue({ name, kind, rights, agent, expires_in_ms }: Wish, maker: Holder): IssuedToken & { token: string } {
    this.#makeRoom(kind, rights)
    const text = `tg_${randomBytes(32).toString('base64url')}`
    const now = Date.now()
    const latest = maker.issued ? Date.parse(maker.issued.expires_at) : Number.POSITIVE_INFINITY
    const kept: Kept = {
      token_id: `tok_${randomBytes(9).toString('base64url')}`,
      name,
      kind,
      rights,
      ...(agent !== undefined && { agent }),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(Math.min(now + expires_in_ms, latest)).toISOString(),
      ...(maker.issued && { made_by: maker.issued.token_id }),
      digest: digestOf(text)
    }
    this.#known.set(kept.digest, { ...knownOf(kept), text })
    this.#changed()
    return { token: text, ...told(kept) }
  }

  /** From now on nobody gets in by it, or by what it made. `end` breaks off what they still have open. */
  revoke(token_id: string): { token: IssuedToken; end: () => void } {
    const known = [...this.#known.values()].find(({ kept }) => kept.token_id === token_id)
    if (!known) throw new ToolError('NOT_FOUND', 'There is no such token. See: toolgate token list')
    const gone = this.#drop([known])
    this.#changed()
    return { token: told(known.kept), end: () => endAll(gone) }
  }

  close() {
    clearTimeout(this.#next)
  }

  #makeRoom(kind: IssuedToken['kind'], rights: readonly Right[]) {
    const approves = rights.includes('approve')
    const same = [...this.#known.values()].filter(
      ({ kept }) => kept.kind === kind && kept.rights.includes('approve') === approves
    )
    if (same.length < MOST[kind]) return
    if (kind === 'session') endAll(this.#drop([same[0]!]))
    else throw new ToolError('CONFLICT', `There are ${MOST[kind]} tokens. Revoke some: toolgate token revoke`)
  }

  /** These, and what was made with them. */
  #drop(known: readonly Known[]): Known[] {
    const gone = [...known]
    for (const { kept } of gone) {
      this.#known.delete(kept.digest)
      for (const other of this.#known.values())
        if (other.kept.made_by === kept.token_id && !gone.includes(other)) gone.push(other)
    }
    return gone
  }

  #endExpired() {
    const expired = [...this.#known.values()].filter(isOver)
    if (expired.length > 0) endAll(this.#drop(expired))
    if (expired.length > 0) this.#changed()
    else this.#waitForNext()
  }

  #changed() {
    const tokens = [...this.#known.values()].map(({ kept }) => kept)
    writeConfigFile(this.#file, `${JSON.stringify({ version: VERSION, tokens }, null, 2)}\n`)
    this.#waitForNext()
  }

  #waitForNext() {
    clearTimeout(this.#next)
    const times = [...this.#known.values()].map(({ kept }) => Date.parse(kept.expires_at) - Date.now())
    if (times.length === 0) return
    const wait = Math.min(Math.max(1, Math.min(...times)), LONGEST_TIMER_MS)
    this.#next = setTimeout(() => this.#endExpired(), wait).unref()
  }
}

const digestOf = (text: string) => hash('sha256', text, 'hex')
const isOver = ({ kept }: Known) => Date.parse(kept.expires_at) <= Date.now()
const endAll = (gone: readonly Known[]) => {
  for (const { over } of gone) over.abort()
}

const told = ({ digest: _, ...token }: Kept): IssuedToken => token

function knownOf(kept: Kept): Known {
  const over = new AbortController()
  const { token_id, expires_at, rights, agent } = kept
  return {
    kept,
    over,
    holder: {
      rights: new Set(rights),
      ...(agent !== undefined && { agent }),
      issued: { token_id, expires_at, over: over.signal }
    }
  }
}

function readKept(file: string): Kept[] {
  const content = readConfigFile(file)
  if (content === undefined) return []
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw odd(file, 'is open to others; see who wrote it, then run chmod 600 on it')
  try {
    const { version, tokens } = JSON.parse(content.toString('utf8')) as { version: unknown; tokens: Kept[] }
    if (version === VERSION && tokens.every(isKept)) return tokens
  } catch {}
  throw odd(file, 'is not as the server wrote it; remove it, and give out new tokens')
}

const isKept = ({ token_id, digest, rights, expires_at }: Partial<Kept>) =>
  typeof token_id === 'string' &&
  /^[0-9a-f]{64}$/.test(String(digest)) &&
  Array.isArray(rights) &&
  !Number.isNaN(Date.parse(String(expires_at)))

const odd = (file: string, fault: string) => new ToolError('PERMISSION_DENIED', `${file} ${fault}.`)
