// Finds the file that blocks a program such as Git or ripgrep: a pipe or a device at a name that it opens automatically, such as
// `.gitignore`. Opening a pipe waits for another program, maybe for ever.
import { ToolError } from '../../errors.ts'
import { listAncestors } from '../../text/ancestors.ts'
import type { Workspace } from '../workspace.ts'
import { readdirSync, statSync } from './byte-path-fs.ts'
import { errnoOf } from './errno.ts'
import { openFolder } from './open-folder.ts'
import { TimeSlicer } from './time-slicing.ts'

/** Time after which a program is examined. Few take that long, so that most calls cost nothing more. */
const STALL_MS = 500

/** Files that a program opens in every folder that it reads. */
export interface OpenedFiles {
  /** Names, in any folder. */
  names: ReadonlySet<string>
  /** Paths in Git's folder; `all` if it may open any file in it. */
  inGitFolder: ReadonlySet<string> | 'all'
}

interface StalledProgram {
  /** Program, as named in the message. */
  program: string
  /** Folder that it reads, relative to the workspace. */
  folder: string
  opens: OpenedFiles
}

/**
 * Calls `onStalled` with an error that names the file if a program still runs after a while and such a file exists. Returns the function
 * to call when the program has ended.
 */
export function watchForStall(
  workspace: Workspace,
  program: StalledProgram,
  onStalled: (error: ToolError) => void
): () => void {
  const over = new AbortController()
  const look = async () => {
    const path = await findStallingFile(workspace, program, over.signal)
    if (path !== undefined && !over.signal.aborted) onStalled(createStallError(program.program, path))
  }
  const timer = setTimeout(() => void look(), STALL_MS)
  return () => {
    clearTimeout(timer)
    over.abort()
  }
}

/** Returns the path of the first such file in the folder or in those above it. */
async function findStallingFile(
  workspace: Workspace,
  { folder, opens }: StalledProgram,
  signal: AbortSignal
): Promise<string | undefined> {
  const slices = new TimeSlicer()
  const above = folder === '.' ? [] : ['.', ...listAncestors(folder)]
  for (const each of above.flatMap(name => [name, joinPath(name, '.git'), joinPath(name, '.git/info')])) {
    const { stalling } = examineFolder(workspace, each, opens)
    if (stalling !== undefined) return stalling
  }
  const todo = [folder]
  for (let next = todo.pop(); next !== undefined && !signal.aborted; next = todo.pop()) {
    const { stalling, folders } = examineFolder(workspace, next, opens)
    if (stalling !== undefined) return stalling
    todo.push(...folders)
    await slices.yieldIfDue()
  }
  return undefined
}

const joinPath = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`)

interface ExaminedFolder {
  stalling?: string
  folders: string[]
}

/** Returns nothing of a folder that was removed, or may not be read. */
function examineFolder(workspace: Workspace, folder: string, opens: OpenedFiles): ExaminedFolder {
  const folders: string[] = []
  try {
    const open = openFolder(workspace, folder)
    try {
      for (const entry of readdirSync(open.path, { withFileTypes: true })) {
        const path = joinPath(folder, entry.name)
        if (entry.isDirectory()) folders.push(path)
        else if (!entry.isFile() && isOpened(path, opens) && stalls(`${open.path}/${entry.name}`))
          return { stalling: path, folders }
      }
    } finally {
      open.close()
    }
  } catch (error) {
    if (!(error instanceof ToolError) && errnoOf(error) === undefined) throw error
  }
  return { folders }
}

function isOpened(path: string, { names, inGitFolder }: OpenedFiles): boolean {
  const parts = path.split('/')
  const git = parts.slice(0, -1).findLastIndex(name => name.endsWith('.git'))
  if (git < 0) return names.has(parts.at(-1)!)
  return inGitFolder === 'all' || inGitFolder.has(parts.slice(git + 1).join('/'))
}

/** Links are followed: some programs follow them, too. One to /dev/null stands for an empty file. */
function stalls(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return false
  return stat.isFIFO() || (stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev)
}

const createStallError = (program: string, path: string) =>
  new ToolError(
    'NOT_A_FILE',
    `${JSON.stringify(path)} is a pipe or a device, on which ${program} would hang, so it was stopped. Remove the file, and retry.`,
    { path }
  )
