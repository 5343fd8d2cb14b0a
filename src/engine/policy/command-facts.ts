// Facts of a command line: the parsed parts, with their operands resolved in the workspace. Resolution can only make the
// classification of a part stricter.
import { join, normalize } from 'node:path/posix'
import { ToolError } from '../../errors.ts'
import type { ConfiguredProgram } from '../../host/git/configured-programs.ts'
import type { Host } from '../../host/host.ts'
import type { CommandClass, Operand, ProtectedResources, SubCommand } from '../../shell/command-line-analysis.ts'
import { isUnsafeVariable } from '../../shell/commands/unsafe-variables.ts'
import { HARMLESS_FILES, isStricter } from '../../shell/parsed-command-line.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { Execution } from '../../tool/request.ts'
import type { ExecutedCommand } from './command-sources.ts'
import { classifyGuardedOperand } from './guarded-files.ts'
import type { CommandFacts, CommandPartFacts, OperandFacts } from './policy-input.ts'
import { mayPrintContents } from './printed-objects.ts'

/** Maximum number of operands to resolve: more than anyone would review, and resolution blocks the event loop. */
const MAX_OPERANDS = 200
const TOO_MANY_OPERANDS: Classification = {
  class: 'strict',
  reason: `The command names more than ${MAX_OPERANDS} files.`
}

const NO_RESOURCES: ProtectedResources = { paths: [], pids: [] }

/** Loaded with the first command, to keep startup fast. */
let analyzer: Promise<typeof import('../../shell/analyze-command-line.ts')> | undefined
const loadAnalyzer = () => (analyzer ??= import('../../shell/analyze-command-line.ts'))

/** Classifies a line by its text, independent of its folder. */
export async function analyzeCommand(text: string, surroundings = NO_RESOURCES): Promise<CommandFacts> {
  const { analyzeCommandLine, loadParsers } = await loadAnalyzer()
  await loadParsers()
  const {
    class: found,
    reason,
    contained,
    irrevocable,
    parts,
    literal,
    hasAllParts,
    argv
  } = analyzeCommandLine(text, surroundings)
  const candidatePaths = parts.flatMap(({ argv = [], cwd = '.' }) =>
    argv.slice(1).flatMap(word => findCandidatePaths(word, cwd ?? '.'))
  )
  return {
    text,
    class: found,
    reason,
    ...(contained && { contained }),
    ...(irrevocable && { irrevocable }),
    parts,
    literal,
    hasAllParts,
    candidatePaths,
    ...(argv && { argv })
  }
}

/** Classifies a line that runs in a folder of the workspace. */
export async function resolveCommandFacts(
  text: string,
  where: HistoryLocation & { surroundings: ProtectedResources }
): Promise<CommandFacts> {
  const read = await analyzeCommand(text, where.surroundings)
  const few = read.parts.reduce((sum, { operands }) => sum + operands.length, 0) <= MAX_OPERANDS
  const parts = few ? read.parts.map(part => resolvePart(part, where)) : read.parts.map(toUnresolvedPart)
  const found = findStrictest(read, parts)
  const { contained, ...line } = read
  const onlyReads = (read.class === 'auto' || contained !== undefined) && parts.every(isAutoOrContained)
  const exposure = await classifyHistoryAccess(read, parts, where)
  // What is contained would not be asked about by itself.
  const worst = onlyReads && exposure ? findStrictest(exposure, [found]) : found
  const candidatePaths = line.candidatePaths.map(path => join(where.cwd, path))
  return {
    ...line,
    cwd: where.cwd,
    class: worst.class,
    reason: worst.reason,
    ...(onlyReads && !exposure && worst.class !== 'auto' && { contained: contained ?? 'reads' }),
    ...(exposure && { exposesHistory: exposure.reason }),
    parts,
    candidatePaths
  }
}

/**
 * Returns the line by which the files that a command executes are found: the variables that steer programs stand before it. `facts`
 * are those of the command line without them, if it has one.
 */
export async function findExecutedCommand(
  { line, env = {}, stdin }: Execution,
  cwd: string,
  facts: CommandFacts | undefined
): Promise<ExecutedCommand> {
  const steering = Object.entries(env).filter(([name]) => isUnsafeVariable(name))
  const own = facts ?? (await analyzeCommand(line))
  const settings = await Promise.all(
    steering.map(async ([name, value]) => ({ name, ...(await analyzeCommand(quoteArgv(['env', `${name}=${value}`]))) }))
  )
  const isAuto = settings.length === 0 && stdin === undefined && own.class === 'auto'
  return {
    text: [...settings, own].map(({ text }) => text).join('\n'),
    parts: [...settings, own].flatMap(({ parts }) => parts),
    unread: settings.flatMap(({ name, parts }) => (parts.length === 0 ? [unreadVariable(name)] : [])),
    stdin,
    cwd,
    class: isAuto ? 'auto' : 'strict'
  }
}

const unreadVariable = (name: string) =>
  `The value of ${name} is too long or too deeply nested to be parsed, so the files in it are not listed.`

const isAutoOrContained = ({ class: level, contained }: CommandPartFacts) => level === 'auto' || contained !== undefined

/** Returns the path that a word, or the value after the `=` of an option, may denote. */
function findCandidatePaths(word: string, cwd: string): string[] {
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
  return value === '' || value.startsWith('-') ? [] : [join(cwd, value)]
}

/** Something in the workspace that makes the classification of a part stricter. */
type OperandCause = Pick<CommandPartFacts, 'class' | 'reason' | 'contained'>
type Classification = Pick<CommandPartFacts, 'class' | 'reason'>

interface CommandLocation {
  files: Host['files']
  cwd: string
}

/** A command's location, and access to the git repositories there. */
interface HistoryLocation extends CommandLocation, Pick<Host, 'git' | 'findGitStores'> {}

/** Returns the first of the strictest. */
const findStrictest = (first: Classification, others: readonly (Classification | undefined)[]): Classification =>
  others.reduce<Classification>((worst, each) => (each && isStricter(each.class, worst.class) ? each : worst), first)

function resolvePart(part: SubCommand, where: CommandLocation): CommandPartFacts {
  const operands = part.operands.flatMap(operand => resolveOperand(operand, part, where) ?? [])
  const causes = [classifyFolder(part, where), ...operands.map(classifyOperand)].filter(cause => cause !== undefined)
  const { class: needed, reason } = findStrictest(part, causes)
  const { contained = part.class === 'auto' ? 'reads' : undefined, ...rest } = part
  return {
    ...rest,
    operands,
    class: needed,
    reason,
    ...(needed !== 'auto' && contained && causes.every(cause => cause.contained) && { contained }),
    ...resolvePartFolder(part, where)
  }
}

/** Marks a part as not resolved. */
const toUnresolvedPart = ({ contained: _, ...part }: SubCommand): CommandPartFacts => ({
  ...part,
  unresolved: true,
  ...(part.operands.length > 0 && findStrictest(part, [TOO_MANY_OPERANDS])),
  ...(part.cwd !== undefined && { folder: null })
})

/** Classifies a line by what its parts show of git's history together. */
async function classifyHistoryAccess(
  line: CommandFacts,
  parts: readonly CommandPartFacts[],
  { files, git, findGitStores, cwd }: HistoryLocation
): Promise<Classification | undefined> {
  const reader = parts.find(part => part.readsHistory)
  if (!reader) return undefined
  const uncertain = findPossibleFolders(parts, { files, cwd })
  for (const part of parts) {
    if (!part.readsHistory) continue
    const folders = part.folder === null ? uncertain : [part.folder ?? cwd]
    for (const folder of folders ?? [undefined]) {
      const cause = classifyRepository(part, folder, { files, git })
      if (cause) return cause
    }
  }
  // The history is visible to all parts then, and to what the shell itself executes.
  const other = parts.find(part => (part.contained !== undefined || !part.readsHistory) && mayReadAnything(part))
  if (other) return classify('ask', `${other.text} may read objects that Git stores, including the history.`)
  if (line.contained === 'computes')
    return classify(
      'ask',
      'The shell evaluates variables or substitutions, and may thereby read objects that Git stores, including the history.'
    )
  const unclear = parts.find(part => part.readsHistory && part.class !== 'auto' && part.argv === undefined)
  if (unclear) return classify('ask', `It cannot be determined which Git objects ${unclear.text} prints.`)
  const trees = parts
    .filter(part => !part.readsHistory)
    .flatMap(({ operands }) => operands)
    .filter(({ tree, resolved }) => tree && resolved !== undefined)
  const stores = trees.length > 0 ? await findStores(findGitStores) : []
  const holder = trees.find(({ resolved, followsLinks }) => {
    if (!stores || files.resolve(resolved!).protected !== undefined) return true
    return followsLinks ? stores.length > 0 : stores.some(store => resolved === '.' || store.startsWith(`${resolved}/`))
  })
  if (holder)
    return classify('ask', `Reads ${holder.path}, which contains the objects that Git stores, including the history.`)
  return (await mayPrintContents(parts, cwd, git))
    ? classify('ask', 'Prints files of the Git history or index without naming them. They may contain credentials.')
    : undefined
}

/** Maximum number of folders to consider where it is uncertain which `cd` succeeds. */
const MAX_POSSIBLE_FOLDERS = 16

/** Returns the folders that the `cd` of a line may lead to, each of them or not; undefined if there are too many. */
function findPossibleFolders(
  parts: readonly CommandPartFacts[],
  { files, cwd }: CommandLocation
): string[] | undefined {
  const folders = new Set([cwd])
  for (const { argv = [] } of parts) {
    const [program, target] = argv
    if (program !== 'cd' || target === undefined) continue
    for (const folder of [...folders]) folders.add(tryResolve(files, appendPath(folder, target))?.path ?? folder)
    if (folders.size > MAX_POSSIBLE_FOLDERS) return undefined
  }
  return [...folders]
}

/** Classifies a git command by its repository, when it runs in this folder. */
function classifyRepository(
  { text, gitFolder = '.', usesDiffProgram }: CommandPartFacts,
  folder: string | undefined,
  { files, git }: Pick<HistoryLocation, 'files' | 'git'>
): Classification | undefined {
  const found = folder === undefined ? undefined : tryResolve(files, appendPath(folder, gitFolder))
  if (found === undefined) return classify('ask', `It cannot be determined which repository ${text} reads.`)
  if (git.isAboveWorkspace(found.path))
    return classify(
      'ask',
      `${text} reads the history of a repository whose root is above the workspace, so it may print files from outside the workspace.`
    )
  const program = git.findConfiguredProgram(found.path, usesDiffProgram ?? false)
  return program && classify('ask', formatConfiguredProgram(program))
}

function formatConfiguredProgram({ file, key, isExternalDiff }: ConfiguredProgram): string {
  if (key === undefined) return `It cannot be determined which programs Git runs because of ${JSON.stringify(file)}.`
  const named = `Git would run a program configured in ${file} (${key})`
  return isExternalDiff
    ? `${named}. To prevent it, add the option --no-ext-diff.`
    : `${named}, in a folder that is not scanned.`
}

/** Returns true for code, for programs that do more than read, and for those that read whole folders which the line does not name. */
const mayReadAnything = ({ class: level, contained, argv, operands }: CommandPartFacts) =>
  contained === 'computes' ||
  (level !== 'auto' && contained === undefined) ||
  (contained !== undefined && argv === undefined && operands.some(({ tree }) => tree))

/** Returns undefined if the workspace cannot be scanned. */
async function findStores(findGitStores: Host['findGitStores']): Promise<string[] | undefined> {
  try {
    return await findGitStores()
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

const classify = (needed: CommandClass, reason: string): Classification => ({ class: needed, reason })

/** Returns a null folder if it cannot be determined or resolved. */
function resolvePartFolder(
  { cwd: folder }: SubCommand,
  { files, cwd }: CommandLocation
): Pick<CommandPartFacts, 'folder'> {
  if (folder === undefined) return {}
  return { folder: folder === null ? null : (tryResolve(files, appendPath(cwd, folder))?.path ?? null) }
}

/** Classifies the target of a `cd`; its operands are uncertain if it is missing, or a link makes it ambiguous. */
function classifyFolder({ cwd: folder }: SubCommand, { files, cwd }: CommandLocation): OperandCause | undefined {
  if (folder === undefined || folder === null) return undefined
  const name = JSON.stringify(folder)
  const found = tryResolve(files, appendPath(cwd, folder))
  if (found === undefined) return classify('strict', `${name} is outside the workspace.`)
  // The shell resolves `..` textually, the kernel from the target of a link.
  const asText = tryResolve(files, normalize(appendPath(cwd, folder)))
  if (asText?.path !== found.path) return classify('strict', `The target of ${name} cannot be determined.`)
  return found.kind === 'directory' ? undefined : { ...classify('ask', `${name} is not a folder.`), contained: 'reads' }
}

/** Returns undefined if the operand names no file. */
function resolveOperand(
  { revision, treeIfFolder, ifMissing, ...operand }: Operand,
  { cwd: moved }: SubCommand,
  { files, cwd }: CommandLocation
): OperandFacts | undefined {
  const folder = moved ?? '.'
  if (HARMLESS_FILES.has(operand.path)) return operand
  const found = operand.path.startsWith('~')
    ? undefined
    : tryResolve(files, appendPath(appendPath(cwd, folder), operand.path))
  if (!found) return { ...operand, outside: true }
  const harmless = !found.sensitive && found.protected !== 'all'
  const isMissing = found.kind === 'missing'
  if (revision && isMissing && harmless && ifMissing === undefined) return undefined
  return {
    ...operand,
    // A missing path may be a folder by the time the command runs.
    ...(treeIfFolder && found.kind !== 'file' && { tree: true }),
    resolved: found.path,
    ...(isMissing && ifMissing !== undefined && { ifMissing }),
    ...(found.sensitive && { sensitive: true }),
    ...(files.isSelfStarting(found) && { self_starting: true }),
    ...(found.protected && { protected: found.protected })
  }
}

function classifyOperand(operand: OperandFacts): OperandCause | undefined {
  const { path } = operand
  if (operand.outside) return classify('strict', `${JSON.stringify(path)} is outside the workspace.`)
  const guarded = classifyGuardedOperand(operand)
  if (guarded) return guarded
  return operand.ifMissing === undefined ? undefined : classify('ask', operand.ifMissing)
}

/** Concatenates paths without normalizing: `..` after a link is relative to the link's target. */
const appendPath = (folder: string, path: string) =>
  path.startsWith('/') || folder === '.' ? path : `${folder}/${path}`

/** Returns undefined if the path cannot be resolved, or not inside the workspace. */
function tryResolve(files: Host['files'], path: string) {
  try {
    return files.resolve(path)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}
