// Suggests paths to a caller that requested a missing file, or a folder.
import path from 'node:path'
import { distance } from 'fastest-levenshtein'
import { ToolError } from '../../../errors.ts'
import { formatDifference } from '../../../host/files/look-alike-names.ts'
import type { RunContext } from '../../../tool/contexts.ts'

const MAX_SUGGESTIONS = 3
/** Maximum share of a name that may differ in a suggestion. */
const MAX_NAME_DIFFERENCE = 0.4

/** Runs work with a file; if it fails because the file is missing, adds suggestions to the error. */
export async function withHint<T>(given: string, ctx: RunContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const hint = error instanceof ToolError ? HINTS[error.code] : undefined
    if (!hint) throw error
    const { code, message, details } = error as ToolError
    const found = await hint(given, ctx)
    throw found ? new ToolError(code, `${message} ${found.text}`, { ...details, ...found.details }) : error
  }
}

type Hint = (given: string, ctx: RunContext) => Promise<{ text: string; details: Record<string, unknown> } | undefined>

const HINTS: Record<string, Hint> = {
  async NOT_A_FILE(given, { host }) {
    if (host.files.peek(given).kind !== 'directory') return undefined
    return { text: 'Use list_directory to list the folder.', details: { kind: 'directory' } }
  },
  async FILE_NOT_FOUND(given, ctx) {
    const similar = similarSiblings(given, ctx)
    if (similar.length > 0)
      return {
        text: `Did you mean ${similar.map(each => each + formatDifference(path.basename(given), path.basename(each))).join(' or ')}?`,
        details: { similar }
      }
    const same = await sameNameElsewhere(given, ctx)
    return same.length > 0 ? { text: `There is ${same.join(' and ')}.`, details: { similar: same } } : undefined
  }
}

/** Returns siblings with similar names, most similar first. */
function similarSiblings(given: string, { host }: RunContext): string[] {
  const name = path.basename(given).toLowerCase()
  const most = Math.max(1, Math.floor(name.length * MAX_NAME_DIFFERENCE))
  return listEntries(path.dirname(given), host)
    .map(entry => ({ path: entry.path, differing: distance(name, entry.name.toLowerCase()) }))
    .filter(({ differing, path }) => differing <= most && canMention(path, host))
    .sort((a, b) => a.differing - b.differing || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ path }) => path)
}

/** Returns files of the same name in other folders. */
async function sameNameElsewhere(given: string, { host }: RunContext): Promise<string[]> {
  const name = path.basename(given).toLowerCase()
  const same = (await host.list.files()).filter(file => path.basename(file).toLowerCase() === name)
  return same.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MAX_SUGGESTIONS)
}

function listEntries(folder: string, host: RunContext['host']) {
  try {
    return host.files.entries(folder)
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
}

function canMention(file: string, host: RunContext['host']) {
  try {
    const { sensitive, protected: protection } = host.files.peek(file)
    return !sensitive && protection === undefined
  } catch (error) {
    // For instance a link out of the workspace.
    if (error instanceof ToolError) return false
    throw error
  }
}
