// The rules that the policies of other programs become, with those that are saved already.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { NewRule, SavedRule } from '../../client/client.ts'
import { ConfigFileError, readConfigFile } from '../../server/config-file.ts'
import { dropAllowing, dropUnguarded, type PolicyEntry, PolicyFileError } from './policy-entry.ts'
import { type FoundPolicy, POLICY_FORMATS } from './policy-formats.ts'

export interface ImportedEntry extends PolicyEntry {
  /** Identifies the rules by their content; absent if there are none. */
  id?: string
  rules: NewRule[]
  /** Rules that are not saved yet. */
  unsaved: NewRule[]
}

export interface ImportedPolicy extends FoundPolicy {
  entries: ImportedEntry[]
  /** Reason for which the file cannot be read. */
  error?: string
}

interface Surroundings {
  project: string
  home: string
  /** Name of the workspace for the rules of the project. */
  workspace: string
  saved: readonly SavedRule[]
}

/** Reads the files. A file that cannot be parsed has an error, and the others are read. */
export async function readPolicies(
  found: readonly FoundPolicy[],
  { project, home, workspace, saved }: Surroundings
): Promise<ImportedPolicy[]> {
  const read = await Promise.all(found.map(file => parsePolicy(file, { project, home })))
  // An entry of one file may restrict what another file of the same program allows.
  const kept = new Map(
    Object.keys(POLICY_FORMATS).flatMap(format => {
      const files = read.filter(file => file.format === format)
      const all = files.flatMap(({ entries }) => entries)
      const unread = files.find(({ error }) => error !== undefined)
      return dropUnguarded(unread ? dropAllowing(all, `${unread.path}, which cannot be read`) : all).map(
        (entry, at) => [all[at]!, entry] as const
      )
    })
  )
  return read.map(({ entries, ...file }) => ({
    ...file,
    entries: entries.map(entry => toImportedEntry(kept.get(entry)!, file, { workspace, saved }))
  }))
}

async function parsePolicy(
  file: FoundPolicy,
  where: Pick<Surroundings, 'project' | 'home'>
): Promise<FoundPolicy & { entries: PolicyEntry[]; error?: string }> {
  try {
    const text = readConfigFile(file.path)?.toString('utf8')
    if (text === undefined) throw new ConfigFileError('does not exist')
    return { ...file, entries: await POLICY_FORMATS[file.format]!.parse({ ...where, path: file.path, text }) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof PolicyFileError) return { ...file, entries: [], error: `${file.path}:${message}` }
    if (error instanceof ConfigFileError) return { ...file, entries: [], error: `${file.path}: ${message}` }
    if (code !== undefined) return { ...file, entries: [], error: `${file.path}: cannot be read (${code})` }
    throw error
  }
}

function toImportedEntry(
  entry: PolicyEntry,
  { scope }: FoundPolicy,
  { workspace, saved }: Pick<Surroundings, 'workspace' | 'saved'>
): ImportedEntry {
  const all = 'rules' in entry.becomes ? entry.becomes.rules : []
  const matches = all.filter((match, at) => all.findIndex(other => isDeepStrictEqual(other, match)) === at)
  const rules = matches.map(
    (match): NewRule => ({
      effect: entry.effect,
      match,
      scope,
      ...(scope === 'workspace' && { workspace }),
      ...(entry.explanation !== undefined && { reason: entry.explanation })
    })
  )
  const id = createHash('sha256')
    .update(JSON.stringify(rules.map(({ effect, match, scope }) => [effect, match, scope])))
    .digest('hex')
    .slice(0, ID_LENGTH)
  return { ...entry, ...(rules.length > 0 && { id }), rules, unsaved: rules.filter(rule => !isSaved(rule, saved)) }
}

const ID_LENGTH = 6

const isSaved = ({ effect, match, scope }: NewRule, saved: readonly SavedRule[]) =>
  saved.some(
    rule =>
      rule.effect === effect &&
      rule.expires_at === null &&
      (rule.scope === 'user' || rule.scope === scope) &&
      isDeepStrictEqual(rule.match, match)
  )
