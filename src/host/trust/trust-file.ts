// The trust file beside the user's configuration, writable only by the user. Updates are read-modify-write under a lock, so that
// concurrent ones are not lost.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import { ConfigFileError, readConfigFile } from '../../server/config-file.ts'
import { xdgFolder } from '../../server/xdg.ts'
import { errnoOf } from '../files/errno.ts'

interface TrustEntry {
  sha256: string
  /** Time at which it was trusted. */
  at: string
}

/** By absolute path. */
type TrustedPaths = ReadonlyMap<string, TrustEntry>

export const trustFilePath = (env: Readonly<Record<string, string | undefined>>): string =>
  path.join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'toolgate', 'trust.json')

/** Returns an empty map if the file does not exist. Throws, with instructions, if its ownership or content is invalid. */
export function readTrustFile(file: string): TrustedPaths {
  const text = readText(file)
  return text === undefined ? new Map() : parseTrustFile(file, text)
}

function readText(file: string): string | undefined {
  try {
    const content = readConfigFile(file)
    if (content !== undefined) assertOwnedByUser(file)
    return content?.toString('utf8')
  } catch (error) {
    if (error instanceof ConfigFileError) throw trustFileError(file, error.message)
    throw error
  }
}

/** Another user with write access could have any program started. */
function assertOwnedByUser(file: string) {
  const { uid, mode } = statSync(file)
  const own = process.getuid?.()
  if (own === undefined) return
  if (uid !== own && uid !== 0) throw trustFileError(file, 'belongs to another user')
  if ((mode & 0o022) !== 0) throw trustFileError(file, 'can be written by other users; run chmod 600 on it')
}

function parseTrustFile(file: string, text: string): TrustedPaths {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw trustFileError(file, 'is not valid JSON; correct it, or delete it and trust the files again')
  }
  const { version, trusted } = (value ?? {}) as { version?: unknown; trusted?: unknown }
  if (version !== VERSION) throw trustFileError(file, `has another format than version ${VERSION}`)
  const entries = Object.entries((trusted ?? {}) as Record<string, Partial<TrustEntry> | null>)
  const whole = entries.filter(
    (entry): entry is [string, TrustEntry] =>
      /^[0-9a-f]{64}$/.test(String(entry[1]?.sha256)) && path.isAbsolute(entry[0])
  )
  return new Map(whole)
}

const VERSION = 1

const trustFileError = (file: string, problem: string) =>
  new ToolError('PERMISSION_DENIED', `${file} ${problem}. The files in this list are not trusted.`)

/** Trusts these contents, each replacing the trusted one of its path. */
export const addTrusted = (file: string, added: ReadonlyMap<string, string>): Promise<void> =>
  updateTrustFile(file, now => {
    const at = new Date().toISOString()
    return new Map([...now, ...[...added].map(([name, sha256]) => [name, { sha256, at }] as const)])
  })

/** Removes the trust of these paths. */
export const removeTrusted = (file: string, paths: readonly string[]): Promise<void> =>
  updateTrustFile(file, now => new Map([...now].filter(([name]) => !paths.includes(name))))

/** The new file is created exclusively, which serves as a lock. */
async function updateTrustFile(file: string, changed: (now: TrustedPaths) => TrustedPaths) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.next`
  const fd = await acquireLock(next)
  try {
    const trusted = Object.fromEntries([...changed(readTrustFile(file))].sort(([a], [b]) => (a < b ? -1 : 1)))
    writeSync(fd, `${JSON.stringify({ version: VERSION, trusted }, null, 2)}\n`)
    fsyncSync(fd)
    renameSync(next, file)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

const MAX_ATTEMPTS = 100
const RETRY_DELAY_MS = 20
/** A lock is held only for a moment: an older one was left by a killed process. */
const STALE_LOCK_MS = 10_000

async function acquireLock(next: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return openSync(next, 'wx', 0o600)
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || tries === MAX_ATTEMPTS) throw error
      const { mtimeMs = Date.now() } = statSync(next, { throwIfNoEntry: false }) ?? {}
      if (Date.now() - mtimeMs > STALE_LOCK_MS) rmSync(next, { force: true })
      else await pause(RETRY_DELAY_MS)
    }
  }
}
