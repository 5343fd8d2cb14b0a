// Secret files at the root of a workspace, read again when they change. Links are not followed: their targets are not secrets of
// the workspace, and redaction would reveal if a guessed value is in them.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import { originalNames } from '../files/policy/backup-names.ts'
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { isHarmlessName } from '../files/policy/secret-names.ts'
import type { Workspace } from '../workspace.ts'
import type { SecretVariableClassifier } from './secret-variables.ts'

const MAX_FILES = 32
const MAX_FILE_BYTES = 262_144
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

export class SecretFiles {
  readonly #workspace: Workspace
  readonly #patterns: NamePatterns
  readonly #classifier: SecretVariableClassifier
  #rootFingerprint = ''
  #names: string[] = []
  #fingerprints = ''
  #values: readonly KnownSecret[] = []

  constructor(workspace: Workspace, patterns: readonly string[], judge: SecretVariableClassifier) {
    this.#workspace = workspace
    this.#patterns = new NamePatterns(patterns)
    this.#classifier = judge
  }

  /** Returns the values; the same array as before while they are the same. */
  values(): readonly KnownSecret[] {
    const rootStamp = fingerprintOf(fstatSync(this.#workspace.fd))
    if (rootStamp !== this.#rootFingerprint) this.#names = this.#listFiles()
    const stamps = this.#names.map(name => `${name} ${this.#fingerprint(name)}`).join('\n')
    if (rootStamp !== this.#rootFingerprint || stamps !== this.#fingerprints) {
      const values = this.#names.flatMap(name => this.#read(name))
      // Most changes of the root are of other files.
      if (!isDeepStrictEqual(values, this.#values)) this.#values = values
    }
    this.#rootFingerprint = rootStamp
    this.#fingerprints = stamps
    return this.#values
  }

  #listFiles(): string[] {
    const names = listNames(this.#entryPath('.')).filter(name => {
      const folded = foldPath(name)
      return originalNames(folded).some(one => this.#patterns.covers([one])) && !isHarmlessName(folded)
    })
    return names.sort().slice(0, MAX_FILES)
  }

  #fingerprint(name: string): string {
    const stats = lstatSync(this.#entryPath(name), { throwIfNoEntry: false })
    return stats ? fingerprintOf(stats) : ''
  }

  #read(name: string): KnownSecret[] {
    let fd: number | undefined
    try {
      fd = openSync(this.#entryPath(name), READ_FLAGS | this.#workspace.dirAccess.noFollowFlags)
      if (!fstatSync(fd).isFile()) return []
      const bytes = Buffer.alloc(MAX_FILE_BYTES)
      const length = readSync(fd, bytes, 0, MAX_FILE_BYTES, 0)
      const variables = parseEnv(bytes.toString('utf8', 0, length))
      return Object.entries(variables).flatMap(([variable, value = '']) => this.#classifier.fromFile(variable, value))
    } catch {
      // Missing or unreadable: the server does not know values that it cannot read.
      return []
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  #entryPath(name: string) {
    const { dirAccess, fd } = this.#workspace
    return `${dirAccess.entryPrefix(this.#workspace, fd, '')}${name}`
  }
}

function listNames(folder: string) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const fingerprintOf = ({ ino, size, mtimeMs, ctimeMs }: Stats) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`
