// The files of secrets at the root of a workspace, read again when they change. Links are not followed: what they lead to
// is none of a workspace's secrets, and a value that is hidden could be told from one that is not.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs'
import { parseEnv } from 'node:util'
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import { fold, NamePatterns } from '../files/policy/name-patterns.ts'
import { HARMLESS_NAMES } from '../files/policy/sensitive-names.ts'
import type { Workspace } from '../host.ts'
import type { VariableJudge } from './secret-variables.ts'

const MOST_FILES = 32
const MOST_BYTES = 262_144
const READ = constants.O_RDONLY | constants.O_NONBLOCK

const harmless = new NamePatterns(HARMLESS_NAMES)

export class SecretFiles {
  readonly #workspace: Workspace
  readonly #patterns: NamePatterns
  readonly #judge: VariableJudge
  #rootStamp = ''
  #names: string[] = []
  #stamps = ''
  #values: readonly KnownSecret[] = []

  constructor(workspace: Workspace, patterns: readonly string[], judge: VariableJudge) {
    this.#workspace = workspace
    this.#patterns = new NamePatterns(patterns)
    this.#judge = judge
  }

  /** The values; the same array as before while nothing changed. */
  values(): readonly KnownSecret[] {
    const rootStamp = stampOf(fstatSync(this.#workspace.fd))
    if (rootStamp !== this.#rootStamp) this.#names = this.#listed()
    const stamps = this.#names.map(name => `${name} ${this.#stamp(name)}`).join('\n')
    if (rootStamp !== this.#rootStamp || stamps !== this.#stamps)
      this.#values = this.#names.flatMap(name => this.#read(name))
    this.#rootStamp = rootStamp
    this.#stamps = stamps
    return this.#values
  }

  #listed(): string[] {
    const names = entries(this.#door('.')).filter(name => {
      const folded = [fold(name)]
      return this.#patterns.covers(folded) && !harmless.covers(folded)
    })
    return names.sort().slice(0, MOST_FILES)
  }

  #stamp(name: string): string {
    const stats = lstatSync(this.#door(name), { throwIfNoEntry: false })
    return stats ? stampOf(stats) : ''
  }

  #read(name: string): KnownSecret[] {
    let fd: number | undefined
    try {
      fd = openSync(this.#door(name), READ | this.#workspace.doors.noLinks)
      if (!fstatSync(fd).isFile()) return []
      const bytes = Buffer.alloc(MOST_BYTES)
      const length = readSync(fd, bytes, 0, MOST_BYTES, 0)
      const variables = parseEnv(bytes.toString('utf8', 0, length))
      return Object.entries(variables).flatMap(([variable, value = '']) => this.#judge.ofFile(variable, value))
    } catch {
      // Gone or not to be read: what the server cannot read it does not know.
      return []
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  #door(name: string) {
    const { doors, fd } = this.#workspace
    return `${doors.prefix(this.#workspace, fd, '')}${name}`
  }
}

function entries(folder: string) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`
