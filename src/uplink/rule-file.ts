// The file in the state folder with the newest rule set of the hub.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../server/private-files.ts'
import type { SignedRuleSet } from './rule-set.ts'

const RULE_FILE = 'hub-rules.json'

export interface StoredRuleSet extends SignedRuleSet {
  /** Address of the hub that has sent it. */
  hub: string
  /** The version that is in effect by the newest event about it; null if none is. */
  announced: number | null
}

export class RuleFile {
  readonly #folder: string

  constructor(stateFolder: string) {
    this.#folder = stateFolder
  }

  /** Returns the stored set, if there is one. Throws if the file cannot be read, or is damaged. */
  read(): StoredRuleSet | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, RULE_FILE), 'utf8')) as StoredRuleSet
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Replaces the file atomically. */
  write(set: StoredRuleSet) {
    writePrivateFile(this.#folder, RULE_FILE, `${JSON.stringify(set)}\n`)
  }
}
