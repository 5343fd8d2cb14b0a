// Which language server answers for a file, in which project, and how it is started. Nothing is looked at here but through
// what is given.
import { dirname, join } from 'node:path/posix'
import type { LanguageServerDefinition, ProjectEnvironment, ServerProgram } from './servers.ts'

/** What can be seen of the machine for one workspace. */
export interface LaunchEnvironment {
  /** Absolute path of the workspace. */
  root: string
  /** Whether there is such a file in the workspace, by its path relative to that. */
  exists(path: string): boolean
  /** Absolute path of a program in the folders of the search path that are in no workspace. Links of its own are not
   * followed: some programs are told by their names what to be. */
  findExecutable(name: string): string | undefined
  /** Whether there is such a file, by its path from the folder where the links of a program lead. */
  hasSibling(program: string, path: string): boolean
  /** Something keeps servers from doing more than reading. */
  isSandboxed: boolean
}

/** A server to be started for a project. */
export interface LaunchConfig {
  server: LanguageServerDefinition
  /** Folder of the project, relative to the workspace's root. */
  root: string
  /** Absolute. */
  file: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  initializationOptions: object
  settings: object
  /** It looks at files of the project that it was not shown. */
  readsWholeProject: boolean
}

/** The servers that are for a file, the preferred one first, each with the protocol's identifier of the file's language. */
export function serversFor(path: string, servers: readonly LanguageServerDefinition[]) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return servers.flatMap(server => {
    const language = matchLanguage(server, name)
    return language === undefined ? [] : [{ server, language }]
  })
}

/** A whole name says more than its end, and a longer end more than a shorter one. */
function matchLanguage({ languages }: LanguageServerDefinition, name: string): string | undefined {
  let best: { language: string; length: number } | undefined
  for (const [language, names] of Object.entries(languages))
    for (const one of names) {
      if (matchesName(name, one) && one.length > (best?.length ?? 0)) best = { language, length: one.length }
    }
  return best?.language
}

function matchesName(name: string, one: string): boolean {
  const [start, end] = one.split('*')
  if (end !== undefined) return name.startsWith(start!) && name.endsWith(end) && name.length >= one.length
  return one === name || (one.startsWith('.') && name.endsWith(one))
}

/** The folder that a server takes for the root of the project that a file belongs to. */
export function findProjectRoot(
  path: string,
  { rootMarkers }: LanguageServerDefinition,
  exists: LaunchEnvironment['exists']
): string {
  const folders = selfAndAncestors(dirname(path))
  for (const names of rootMarkers) {
    const nearest = folders.find(folder => names.some(name => exists(join(folder, name))))
    if (nearest !== undefined) return nearest
  }
  return '.'
}

/** How a server is started for a project; undefined where it is not there, or not for such a project. */
export function resolveLaunchConfig(
  server: LanguageServerDefinition,
  root: string,
  ground: LaunchEnvironment
): LaunchConfig | undefined {
  const folders = selfAndAncestors(root)
  if (isLeftToOtherServer(server, root, ground)) return undefined
  const file = firstDefined(server.programs, program => findProgram(program, folders, ground))
  if (file === undefined) return undefined
  const project: ProjectEnvironment = {
    folder: join(ground.root, root),
    isSandboxed: ground.isSandboxed,
    findInProject: place => findProgram({ projectPath: place }, folders, ground),
    findExecutable: ground.findExecutable
  }
  return {
    server,
    root,
    file,
    args: [...(server.args ?? []), ...(ground.isSandboxed ? [] : (server.unsandboxedArgs ?? []))],
    environment: server.environment?.(project) ?? {},
    initializationOptions: server.initializationOptions?.(project) ?? {},
    settings: server.settings?.(project) ?? {},
    readsWholeProject: server.readsWholeProject?.(project) ?? true
  }
}

/** Whether a project says that another server is for it. */
export const isLeftToOtherServer = (
  { excludedBy = [] }: LanguageServerDefinition,
  root: string,
  { exists }: LaunchEnvironment
): boolean => selfAndAncestors(root).some(folder => excludedBy.some(name => exists(join(folder, name))))

function findProgram(
  program: ServerProgram,
  folders: readonly string[],
  ground: LaunchEnvironment
): string | undefined {
  const { requires } = program
  if ('name' in program) {
    const file = ground.findExecutable(program.name)
    return file && (requires === undefined || ground.hasSibling(file, requires)) ? file : undefined
  }
  if (!ground.isSandboxed) return undefined
  const found = folders
    .map(folder => join(folder, program.projectPath))
    .find(path => ground.exists(path) && (requires === undefined || ground.exists(join(dirname(path), requires))))
  return found && join(ground.root, found)
}

function firstDefined<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** A folder and all above it in the workspace. */
export const selfAndAncestors = (folder: string): string[] =>
  folder === '.' ? ['.'] : [folder, ...selfAndAncestors(dirname(folder))]
