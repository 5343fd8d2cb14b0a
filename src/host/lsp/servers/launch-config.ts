// Which language server answers for a file, in which project, and how it is started. Nothing is looked at here but through
// what is given.
import { dirname, join } from 'node:path/posix'
import type { LanguageServer, Program, Project } from './servers.ts'

/** What can be seen of the machine for one workspace. */
export interface Ground {
  /** Absolute path of the workspace. */
  root: string
  /** Whether there is such a file in the workspace, by its path relative to that. */
  exists(path: string): boolean
  /** Absolute path of a program in the folders of the search path that are in no workspace. Links of its own are not
   * followed: some programs are told by their names what to be. */
  program(name: string): string | undefined
  /** Whether there is such a file, by its path from the folder where the links of a program lead. */
  standsBy(program: string, path: string): boolean
  /** Something keeps servers from doing more than reading. */
  kept: boolean
}

/** A server to be started for a project. */
export interface Launch {
  server: LanguageServer
  /** Folder of the project, relative to the workspace's root. */
  root: string
  /** Absolute. */
  file: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  options: object
  settings: object
  /** It looks at files of the project that it was not shown. */
  reads_all: boolean
}

/** The servers that are for a file, the preferred one first, each with the protocol's identifier of the file's language. */
export function serversFor(path: string, servers: readonly LanguageServer[]) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return servers.flatMap(server => {
    const language = languageIn(server, name)
    return language === undefined ? [] : [{ server, language }]
  })
}

/** A whole name says more than its end, and a longer end more than a shorter one. */
function languageIn({ languages }: LanguageServer, name: string): string | undefined {
  let best: { language: string; length: number } | undefined
  for (const [language, names] of Object.entries(languages))
    for (const one of names) {
      if (fits(name, one) && one.length > (best?.length ?? 0)) best = { language, length: one.length }
    }
  return best?.language
}

function fits(name: string, one: string): boolean {
  const [start, end] = one.split('*')
  if (end !== undefined) return name.startsWith(start!) && name.endsWith(end) && name.length >= one.length
  return one === name || (one.startsWith('.') && name.endsWith(one))
}

/** The folder that a server takes for the root of the project that a file belongs to. */
export function projectRoot(path: string, { roots }: LanguageServer, exists: Ground['exists']): string {
  const folders = upFrom(dirname(path))
  for (const names of roots) {
    const nearest = folders.find(folder => names.some(name => exists(join(folder, name))))
    if (nearest !== undefined) return nearest
  }
  return '.'
}

/** How a server is started for a project; undefined where it is not there, or not for such a project. */
export function launchOf(server: LanguageServer, root: string, ground: Ground): Launch | undefined {
  const folders = upFrom(root)
  if (isElsewhere(server, root, ground)) return undefined
  const file = firstOf(server.programs, program => findProgram(program, folders, ground))
  if (file === undefined) return undefined
  const project: Project = {
    folder: join(ground.root, root),
    kept: ground.kept,
    own: place => findProgram({ own: place }, folders, ground),
    program: ground.program
  }
  return {
    server,
    root,
    file,
    args: [...(server.args ?? []), ...(ground.kept ? [] : (server.unkept_args ?? []))],
    environment: server.environment?.(project) ?? {},
    options: server.options?.(project) ?? {},
    settings: server.settings?.(project) ?? {},
    reads_all: server.reads_all?.(project) ?? true
  }
}

/** Whether a project says that another server is for it. */
export const isElsewhere = ({ unless = [] }: LanguageServer, root: string, { exists }: Ground): boolean =>
  upFrom(root).some(folder => unless.some(name => exists(join(folder, name))))

function findProgram(program: Program, folders: readonly string[], ground: Ground): string | undefined {
  const { needs } = program
  if ('name' in program) {
    const file = ground.program(program.name)
    return file && (needs === undefined || ground.standsBy(file, needs)) ? file : undefined
  }
  if (!ground.kept) return undefined
  const found = folders
    .map(folder => join(folder, program.own))
    .find(path => ground.exists(path) && (needs === undefined || ground.exists(join(dirname(path), needs))))
  return found && join(ground.root, found)
}

function firstOf<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** A folder and all above it in the workspace. */
export const upFrom = (folder: string): string[] => (folder === '.' ? ['.'] : [folder, ...upFrom(dirname(folder))])
