// The tokens of a server: one that may call and decide, one that may only call, and call-only ones that are given to one
// agent each. Fresh ones live as long as the process; ones from files follow their files, so that they can be changed
// without a restart.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { ToolError } from '../errors.ts'

export type Right = 'call' | 'approve'

/** What a token lets its bearer do. */
export interface Principal {
  rights: ReadonlySet<Right>
  /** The agent that it was given to: the bearer calls as that one and no other. */
  agent?: string
  /** Of a token that was given out while the server ran. */
  issued?: {
    token_id: string
    expires_at: string
    /** Aborts when it is revoked or its time is over. */
    revoked: AbortSignal
  }
}

export interface Tokens {
  /** Undefined when it is no token of ours. */
  authenticate(bearer: string): Principal | undefined
  /** The two tokens as they are right now: what the discovery file tells, and nothing else may. */
  current(): TokenPair
  /** Every token as it is right now, so that none is told. */
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

/** Tokens from files where given, else fresh ones. */
export function loadTokens({ token_file, call_token_file, agent_token_files = {} }: TokenFiles): Tokens {
  const full = token_file ? fileToken(token_file) : generateToken()
  const call = call_token_file ? fileToken(call_token_file) : generateToken()
  const kinds: (Principal & { secret: Secret })[] = [
    { secret: full, rights: new Set<Right>(['call', 'approve']) },
    { secret: call, rights: new Set<Right>(['call']) },
    ...Object.entries(agent_token_files).map(([agent, file]) => ({
      secret: fileToken(file),
      rights: new Set<Right>(['call']),
      agent
    }))
  ]
  return {
    // Every token is compared each time, so that the time taken tells nothing.
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

/** How long a changed token file may go unseen. */
const RECHECK_INTERVAL_MS = 500

function fileToken(path: string): Secret {
  let text = readToken(path)
  let digest = digestOf(text)
  let seen = fingerprintOf(statSync(path))
  let checked = performance.now()

  // A file that cannot be read any more lets nobody in, until it can.
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

/** The first line of the file. Refuses what others could read or have written, and what could be guessed. */
export function readToken(path: string): string {
  const fd = open(path)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw tokenFileError(path, 'is not a regular file')
    if (process.platform !== 'win32' && (stats.mode & 0o027) !== 0)
      throw tokenFileError(path, 'is open to others; run chmod 600 on it')
    if (stats.size > 4_096) throw tokenFileError(path, 'is too long for a token')
    const text = readFileSync(fd, 'utf8').split('\n', 1)[0]!.trim()
    if (!/^[\x21-\x7e]{22,}$/.test(text))
      throw tokenFileError(
        path,
        'must hold one line of at least 22 printable characters; make one with: openssl rand -hex 32'
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
    throw new ToolError('PERMISSION_DENIED', `The token file ${path} can't be opened.`, undefined, { cause })
  }
}

const tokenFileError = (path: string, fault: string) =>
  new ToolError('PERMISSION_DENIED', `The token file ${path} ${fault}.`)
