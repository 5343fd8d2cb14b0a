// Tokens issued at run time: to a console, a program or an agent. Each expires, and those made with it expire with it. Those of
// programs and agents outlive the server: their digests are stored on disk. Those of consoles do not: once the server has ended,
// another program may answer at its address, and a browser gives that what it has stored for the address.
import { hash, randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../errors.ts'
import { SERVER_TOKEN_ID } from '../protocol/named-token.ts'
import type { IssuedToken, Right } from '../protocol/tokens.ts'
import { steadyNow } from '../steady-time.ts'
import { ConfigFileError, readConfigFile } from './config-file.ts'
import { writePrivateFile } from './private-files.ts'
import type { TokenSeal } from './token-seal.ts'
import type { Principal } from './tokens.ts'

interface TokenRequest extends Pick<IssuedToken, 'name' | 'kind' | 'rights'> {
  agent?: string | undefined
  expires_in_ms: number
}

interface StoredToken extends IssuedToken {
  digest: string
}

interface ActiveToken {
  stored: StoredToken
  holder: Principal
  revocation: AbortController
  /** Set while this process knows it, so that it can be redacted. */
  text?: string
}

/**
 * Limits per kind, separately with and without the right to approve, so that call-only bearers cannot evict a person's. A further
 * session evicts the oldest one; a further token is refused.
 */
const MAX_TOKENS = { token: 64, session: 16 } as const
/** Maximum number of sessions in the share of one token that may not approve: a further one evicts its oldest. */
const MAX_SESSIONS_OF_SHARE = 8
const VERSION = 2
const MAX_TIMER_MS = 2 ** 31 - 1

export class IssuedTokens {
  /** Reason for which the file of an earlier run was put aside. */
  readonly rejection: string | undefined
  readonly #file: string
  readonly #seal: TokenSeal
  /** By digest, oldest first. Digests cannot be chosen, so the timing of a lookup reveals nothing. */
  readonly #byDigest: Map<string, ActiveToken>
  #expiryTimer: NodeJS.Timeout | undefined

  /** Loads the tokens. A file that no server has written here is put aside. */
  constructor(file: string, seal: TokenSeal) {
    this.#file = file
    this.#seal = seal
    const { tokens, problem } = readStored(file, seal)
    if (problem !== undefined) this.rejection = `${file} ${problem}; ${putAside(file)}`
    this.#byDigest = new Map(tokens.map(stored => [stored.digest, activate(stored, findPerson(stored, tokens))]))
    this.#revokeExpired()
  }

  /** Returns undefined for an unknown or invalid token. */
  authenticate(bearer: string): Principal | undefined {
    const known = this.#byDigest.get(digestOf(bearer))
    return known && !isExpired(known) ? known.holder : undefined
  }

  /** Returns the digests of the valid tokens. */
  digests(): string[] {
    return [...this.#byDigest.values()].filter(known => !isExpired(known)).map(({ stored }) => stored.digest)
  }

  /** Lists the tokens, oldest first. */
  list(): IssuedToken[] {
    return [...this.#byDigest.values()].filter(known => !isExpired(known)).map(({ stored }) => withoutDigest(stored))
  }

  /** Returns the known token texts, for redaction. */
  knownTexts(): string[] {
    return [...this.#byDigest.values()].flatMap(({ text }) => (text === undefined ? [] : [text]))
  }

  /** Issues a token. Only the response contains its text. */
  issue({ name, kind, rights, agent, expires_in_ms }: TokenRequest, maker: Principal): IssuedToken & { token: string } {
    const share = maker.rights.has('approve') ? undefined : (maker.share ?? maker.token?.id)
    this.#makeRoom(kind, rights, share)
    const text = `tg_${randomBytes(32).toString('base64url')}`
    const now = steadyNow()
    const latest = maker.issued ? Date.parse(maker.issued.expires_at) : Number.POSITIVE_INFINITY
    const stored: StoredToken = {
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
    const all = [...this.#byDigest.values()].map(known => known.stored)
    const active = activate(stored, findPerson(stored, all))
    const holder = share === undefined ? active.holder : { ...active.holder, share }
    this.#byDigest.set(stored.digest, { ...active, holder, text })
    this.#save()
    return { token: text, ...withoutDigest(stored) }
  }

  /** Renames a token, for decisions made with it from now on. */
  rename(token_id: string, name: string): IssuedToken {
    const known = this.#find(token_id)
    known.stored = { ...known.stored, name }
    known.holder = { ...known.holder, token: { id: token_id, name } }
    this.#save()
    return withoutDigest(known.stored)
  }

  /** Revokes a token and those made with it. `end` closes their open connections. */
  revoke(token_id: string): { token: IssuedToken; end: () => void } {
    const known = this.#find(token_id)
    const gone = this.#remove([known])
    this.#save()
    return { token: withoutDigest(known.stored), end: () => abortAll(gone) }
  }

  #find(token_id: string): ActiveToken {
    const known = [...this.#byDigest.values()].find(({ stored }) => stored.token_id === token_id)
    if (!known) throw new ToolError('NOT_FOUND', 'There is no token with this id. See: toolgate token list')
    return known
  }

  close() {
    clearTimeout(this.#expiryTimer)
  }

  #makeRoom(kind: IssuedToken['kind'], rights: readonly Right[], share: string | undefined) {
    const own = [...this.#byDigest.values()].filter(({ holder }) => share !== undefined && holder.share === share)
    if (own.length >= MAX_SESSIONS_OF_SHARE) abortAll(this.#remove([own[0]!]))
    const approves = rights.includes('approve')
    const same = [...this.#byDigest.values()].filter(
      ({ stored }) => stored.kind === kind && stored.rights.includes('approve') === approves
    )
    if (same.length < MAX_TOKENS[kind]) return
    if (kind === 'session') abortAll(this.#remove([same[0]!]))
    else
      throw new ToolError(
        'CONFLICT',
        `There are ${MAX_TOKENS[kind]} tokens, which is the maximum. Revoke some: toolgate token revoke`
      )
  }

  /** Removes these tokens, and those made with them. */
  #remove(known: readonly ActiveToken[]): ActiveToken[] {
    const gone = [...known]
    for (const { stored } of gone) {
      this.#byDigest.delete(stored.digest)
      for (const other of this.#byDigest.values())
        if (other.stored.made_by === stored.token_id && !gone.includes(other)) gone.push(other)
    }
    return gone
  }

  #revokeExpired() {
    const expired = [...this.#byDigest.values()].filter(isExpired)
    if (expired.length > 0) abortAll(this.#remove(expired))
    if (expired.length > 0) this.#save()
    else this.#scheduleExpiry()
  }

  #save() {
    const all = [...this.#byDigest.values()].map(({ stored }) => stored)
    const endsWithServer = ({ kind, made_by }: IssuedToken): boolean =>
      kind === 'session' || all.some(maker => maker.token_id === made_by && endsWithServer(maker))
    const tokens = all.filter(stored => !endsWithServer(stored))
    const seal = this.#seal.create(this.#file, JSON.stringify(tokens))
    const text = `${JSON.stringify({ version: VERSION, seal, tokens }, null, 2)}\n`
    writePrivateFile(path.dirname(this.#file), path.basename(this.#file), text)
    this.#scheduleExpiry()
  }

  #scheduleExpiry() {
    clearTimeout(this.#expiryTimer)
    const times = [...this.#byDigest.values()].map(({ stored }) => Date.parse(stored.expires_at) - steadyNow())
    if (times.length === 0) return
    const wait = Math.min(Math.max(1, Math.min(...times)), MAX_TIMER_MS)
    this.#expiryTimer = setTimeout(() => this.#revokeExpired(), wait).unref()
  }
}

const digestOf = (text: string) => hash('sha256', text, 'hex')
const isExpired = ({ stored }: ActiveToken) => Date.parse(stored.expires_at) <= steadyNow()
const abortAll = (gone: readonly ActiveToken[]) => {
  for (const { revocation } of gone) revocation.abort()
}

const withoutDigest = ({ digest: _, ...token }: StoredToken): IssuedToken => token

/**
 * Returns the id of the token at the beginning of those that a token was made with, which stands for its person: who has a token can make
 * others. The server's token makes those of persons; of these, only that of a console counts as the same person.
 */
function findPerson({ token_id, kind, made_by }: StoredToken, all: readonly StoredToken[]): string {
  const maker = all.find(other => other.token_id === made_by)
  if (maker) return findPerson(maker, all)
  return kind === 'session' ? SERVER_TOKEN_ID : token_id
}

function activate(stored: StoredToken, person: string): ActiveToken {
  const revocation = new AbortController()
  const { token_id, name, expires_at, rights, agent } = stored
  return {
    stored,
    revocation,
    holder: {
      rights: new Set(rights),
      token: { id: token_id, name },
      ...(person !== token_id && { person }),
      ...(agent !== undefined && { agent }),
      issued: { token_id, expires_at, revoked: revocation.signal }
    }
  }
}

interface StoredTokens {
  tokens: readonly StoredToken[]
  /** Why the file is not used. */
  problem?: string
}

function readStored(file: string, seal: TokenSeal): StoredTokens {
  try {
    const content = readConfigFile(file)
    if (content === undefined) return { tokens: [] }
    const { version, seal: given, tokens } = JSON.parse(content.toString('utf8')) as Record<string, unknown>
    if (version !== VERSION || !isStoredTokens(tokens)) return { tokens: [], problem: NOT_OURS }
    return seal.isValid(file, JSON.stringify(tokens), String(given)) ? { tokens } : { tokens: [], problem: NOT_OURS }
  } catch (error) {
    return { tokens: [], problem: error instanceof ConfigFileError ? error.message : NOT_OURS }
  }
}

const NOT_OURS = 'was not written by one of your servers'

/** Leaves the file for inspection, under a name that is not read. Returns what was done. */
function putAside(file: string): string {
  const aside = `${file}.rejected`
  try {
    rmSync(aside, { recursive: true, force: true })
    renameSync(file, aside)
    return `the file was renamed to ${aside}`
  } catch (error) {
    return `the file cannot be renamed (${(error as NodeJS.ErrnoException).code})`
  }
}

const isStoredTokens = (tokens: unknown): tokens is StoredToken[] =>
  Array.isArray(tokens) && tokens.every(isStoredToken)

const isStoredToken = (token: Partial<StoredToken> | null) =>
  typeof token?.token_id === 'string' &&
  /^[0-9a-f]{64}$/.test(String(token.digest)) &&
  Array.isArray(token.rights) &&
  !Number.isNaN(Date.parse(String(token.expires_at)))
