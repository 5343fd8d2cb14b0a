// A command line as read, with what its parts would touch held against the workspace. A part is never judged more
// leniently for where its operands lead, only more strictly.
import { join, normalize } from 'node:path/posix'
import { ToolError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import type { CommandClass, Operand, SubCommand, Surroundings } from '../../shell/command-line-analysis.ts'
import { HARMLESS_FILES, sterner } from '../../shell/parsed-command-line.ts'
import { nameOf, startsCode } from './minimum-levels.ts'
import type { JudgedCommand, JudgedOperand, JudgedPart } from './policy-input.ts'

/** More than anyone would read, and looked up while everybody waits. */
const MOST_OPERANDS = 200
const TOO_MANY: Judged = { class: 'strict', reason: `It names more than ${MOST_OPERANDS} files.` }

const NOWHERE: Surroundings = { forbidden: [], pids: [] }

/** What reads command lines comes with the first one: a start does without. */
let reader: Promise<typeof import('../../shell/analyze-command-line.ts')> | undefined
const loaded = () => (reader ??= import('../../shell/analyze-command-line.ts'))

/** The line as it reads, wherever it would run. */
export async function commandFacts(text: string, surroundings = NOWHERE): Promise<JudgedCommand> {
  const { judgeCommand, parsersReady } = await loaded()
  await parsersReady()
  const { class: found, reason, parts, literal, argv } = judgeCommand(text, surroundings)
  const named = parts.flatMap(({ argv = [], cwd = '.' }) => argv.slice(1).flatMap(word => placesOf(word, cwd ?? '.')))
  return { text, class: found, reason, parts, literal, named, ...(argv && { argv }) }
}

/** The same, run in a folder of the workspace. */
export async function judgedCommand(
  text: string,
  where: Where & { surroundings: Surroundings }
): Promise<JudgedCommand> {
  const read = await commandFacts(text, where.surroundings)
  const few = read.parts.reduce((sum, { operands }) => sum + operands.length, 0) <= MOST_OPERANDS
  const parts = few ? read.parts.map(part => judgedPart(part, where)) : read.parts.map(unseenPart)
  const worst = sternest(read, parts)
  const named = read.named.map(path => join(where.cwd, path))
  return { ...read, cwd: where.cwd, class: worst.class, reason: worst.reason, parts, named }
}

/** What a word would be as a path, and what follows the `=` of an option. */
function placesOf(word: string, cwd: string): string[] {
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
  return value === '' || value.startsWith('-') ? [] : [join(cwd, value)]
}

type Judged = Pick<JudgedPart, 'class' | 'reason'>

interface Where {
  files: Host['files']
  cwd: string
}

/** The first of the sternest. */
const sternest = (first: Judged, others: readonly (Judged | undefined)[]): Judged =>
  others.reduce<Judged>((worst, each) => (each && sterner(each.class, worst.class) ? each : worst), first)

function judgedPart(part: SubCommand, where: Where): JudgedPart {
  const operands = part.operands.flatMap(operand => judgedOperand(operand, part, where) ?? [])
  const { class: needed, reason } = sternest(part, [strayFolder(part, where), ...operands.map(strictness)])
  return { ...part, operands, class: needed, reason, ...folderOf(part, where) }
}

/** Where it leads, nobody looked. */
const unseenPart = (part: SubCommand): JudgedPart => ({
  ...part,
  ...(part.operands.length > 0 && sternest(part, [TOO_MANY])),
  ...(part.cwd !== undefined && { folder: null })
})

const judged = (needed: CommandClass, reason: string): Judged => ({ class: needed, reason })

/** Null where the folder cannot be told, or not be followed. */
function folderOf({ cwd: folder }: SubCommand, { files, cwd }: Where): Pick<JudgedPart, 'folder'> {
  if (folder === undefined) return {}
  return { folder: folder === null ? null : (lookedUp(files, placeAt(cwd, folder))?.path ?? null) }
}

/** Where the folder that a `cd` leads to is not there or not the one it reads like, its operands cannot be told. */
function strayFolder({ cwd: folder }: SubCommand, { files, cwd }: Where): Judged | undefined {
  if (folder === undefined || folder === null) return undefined
  const name = JSON.stringify(folder)
  const found = lookedUp(files, placeAt(cwd, folder))
  if (found === undefined) return judged('strict', `${name} leads outside the workspace.`)
  // The shell takes `..` off the text, the system off the folder that a link leads to.
  const asText = lookedUp(files, normalize(placeAt(cwd, folder)))
  if (asText?.path !== found.path) return judged('strict', `Where ${name} leads cannot be told.`)
  return found.kind === 'directory' ? undefined : judged('ask', `${name} is no folder.`)
}

/** Undefined where it names no file. */
function judgedOperand(
  { revision, ...operand }: Operand,
  { cwd: moved }: SubCommand,
  { files, cwd }: Where
): JudgedOperand | undefined {
  const folder = moved ?? '.'
  if (HARMLESS_FILES.has(operand.path)) return operand
  const found = operand.path.startsWith('~') ? undefined : lookedUp(files, placeAt(placeAt(cwd, folder), operand.path))
  if (!found) return { ...operand, outside: true }
  const harmless = !found.sensitive && found.protected !== 'all'
  if (revision && found.kind === 'missing' && harmless) return undefined
  return {
    ...operand,
    resolved: found.path,
    ...(found.sensitive && { sensitive: true }),
    ...(found.self_starting && { self_starting: true }),
    ...(found.protected && { protected: found.protected })
  }
}

function strictness(operand: JudgedOperand): Judged | undefined {
  const { access, path, resolved } = operand
  if (operand.outside) return judged('strict', `${JSON.stringify(path)} leads outside the workspace.`)
  const name = resolved === undefined || resolved === path ? path : nameOf({ path: resolved, given: path })
  if (operand.protected === 'all' || (operand.protected && access === 'write'))
    return judged('block', `${name} is protected.`)
  if (operand.sensitive && access === 'read') return judged('strict', `${name} may hold credentials.`)
  return operand.self_starting && access === 'write' ? judged('strict', startsCode(name)) : undefined
}

/** Not joined: `..` after a link leads from where the link leads. */
const placeAt = (folder: string, path: string) => (path.startsWith('/') || folder === '.' ? path : `${folder}/${path}`)

/** Undefined where the path cannot be followed, or not inside the workspace. */
function lookedUp(files: Host['files'], path: string) {
  try {
    return files.resolve(path)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}
