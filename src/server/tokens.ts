// The tokens of a server: one that may call and decide, one that may only call, and call-only ones that are bound to one agent
// each. Generated ones live as long as the process; ones from files follow their files, so that they can be changed without a
// restart.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { ToolError } from '../errors.ts'
import { SERVER_TOKEN_ID } from '../protocol/named-token.ts'
import type { Right } from '../protocol/tokens.ts'

/** The rights of a token's bearer. */
interface TokenIdentity {
  /**
   * Id of an issued token; `server` for that of the discovery file which may approve, `server:call` for the one which may only
   * call, `server:agent:<name>` for that of an agent. It stays the same over restarts.
   */
  id: string
  name: string
}

export interface Principal {
  rights: ReadonlySet<Right>
  /** Identifies the token, and names the person or program that it belongs to. */
  token?: TokenIdentity
  /** Id of the token whose shares it uses, if that is another one: it was made with that, which may not approve. */
  share?: string
  /** Id of the token that it was made with, if both belong to one person: that of a console, or one that an issued token has made. */
  person?: string
  /** The agent that the token is bound to: the bearer cannot act as another. */
  agent?: string
  /** Set for a token that was issued at run time. */
  issued?: {
    token_id: string
    expires_at: string
    /** Aborts when it is revoked or expires. */
    revoked: AbortSignal
  }
  /** Set for a person who has opened a link of a notification: the link permits requests about this call only. */
  link?: DecisionLink
}

/** The decision that a link of a notification permits. */
export interface DecisionLink {
  channel: string
  tool_call_id: string
  /** Digest of the preview that the link was made for. */
  digest: string
  expires_at: string
}

export interface Tokens {
  /** Returns undefined for an unknown token. */
  authenticate(bearer: string): Principal | undefined
  /** Returns the current two tokens, for the discovery file only. */
  current(): TokenPair
  /** Returns all current tokens, for redaction. */
  allTexts(): string[]
}

interface TokenPair {
  token: string
  call_token: string
}

interface TokenFiles {
  token_file?: string | undefined
  call_token_file?: string | undefined
  /** By agent. */
  agent_token_files?: Readonly<Record<string, string>>
}

/** Loads tokens from files if given, else generates them. */
export function loadTokens({ token_file, call_token_file, agent_token_files = {} }: TokenFiles): Tokens {
  const full = token_file ? fileToken(token_file) : generateToken()
  const call = call_token_file ? fileToken(call_token_file) : generateToken()
  const kinds: (Principal & { secret: Secret })[] = [
    { secret: full, rights: new Set<Right>(['call', 'approve']), token: { id: SERVER_TOKEN_ID, name: userName() } },
    {
      secret: call,
      rights: new Set<Right>(['call']),
      token: { id: `${SERVER_TOKEN_ID}:call`, name: userName() }
    },
    ...Object.entries(agent_token_files).map(([agent, file]) => ({
      secret: fileToken(file),
      rights: new Set<Right>(['call']),
      token: { id: `${SERVER_TOKEN_ID}:agent:${agent}`, name: agent },
      agent
    }))
  ]
  return {
    // Compare with every token each time, so that the timing reveals nothing.
    authenticate(bearer) {
      const given = digestOf(bearer)
      let found: Principal | undefined
      for (const kind of kinds) if (timingSafeEqual(given, kind.secret.digest()) && !found) found = kind
      return found
    },
    current: () => ({ token: full.text(), call_token: call.text() }),
    allTexts: () => kinds.map(({ secret }) => secret.text())
  }
}

/** Returns the name of the user who runs the server, to whom its own tokens belong. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return SERVER_TOKEN_ID
  }
}

interface Secret {
  text(): string
  digest(): Buffer
}

const digestOf = (text: string) => hash('sha256', text, 'buffer')

function generateToken(): Secret {
  const text = randomBytes(32).toString('base64url')
  const digest = digestOf(text)
  return { text: () => text, digest: () => digest }
}

/** Maximum delay in milliseconds until a changed token file is noticed. */
const RECHECK_INTERVAL_MS = 500

function fileToken(path: string): Secret {
  let text = readToken(path)
  let digest = digestOf(text)
  let seen = fingerprintOf(statSync(path))
  let checked = performance.now()

  // An unreadable file disables its token until it is readable again.
  function follow() {
    const now = performance.now()
    if (now - checked < RECHECK_INTERVAL_MS) return
    checked = now
    const stamp = fingerprintOf(statSync(path, { throwIfNoEntry: false }))
    if (stamp === seen) return
    seen = stamp
    try {
      text = readToken(path)
      digest = digestOf(text)
    } catch {
      digest = digestOf(randomBytes(32).toString('base64url'))
    }
  }
  return {
    text() {
      follow()
      return text
    },
    digest() {
      follow()
      return digest
    }
  }
}

const fingerprintOf = (stats: Stats | undefined) =>
  stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`

/** Reads the first line of the file. Refuses one that others could read or write, and weak tokens. */
export function readToken(path: string): string {
  const fd = open(path)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw tokenFileError(path, 'is not a regular file')
    if (process.platform !== 'win32' && (stats.mode & 0o027) !== 0)
      throw tokenFileError(path, 'is accessible to other users; run chmod 600 on it')
    if (stats.size > 4_096) throw tokenFileError(path, 'is too long for a token')
    const text = readFileSync(fd, 'utf8').split('\n', 1)[0]!.trim()
    if (!/^[\x21-\x7e]{22,}$/.test(text))
      throw tokenFileError(
        path,
        'must contain one line of at least 22 printable characters; create one with: openssl rand -hex 32'
      )
    return text
  } finally {
    closeSync(fd)
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    throw new ToolError('PERMISSION_DENIED', `The token file ${path} cannot be opened.`, undefined, { cause })
  }
}

const tokenFileError = (path: string, problem: string) =>
  new ToolError('PERMISSION_DENIED', `The token file ${path} ${problem}.`)
