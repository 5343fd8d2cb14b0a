// Selects the language server of a file, its project, and its launch configuration. Accesses the machine only through
// `LaunchEnvironment`.
import { dirname, join } from 'node:path/posix'
import type { LanguageServerDefinition, ProjectEnvironment, ServerProgram } from './server-definition.ts'
import { ServerIndex, type ServerMatch } from './server-index.ts'

/** View of the machine for one workspace. */
export interface LaunchEnvironment {
  /** Absolute path of the workspace. */
  root: string
  /** Checks if a file exists, by its path relative to the workspace. */
  exists(path: string): boolean
  /** Returns what a file contains, by the same path; undefined if it is not JSON or larger than 64 MiB. */
  readJson(path: string): unknown
  /**
   * Returns the absolute path of a program in the folders of the search path outside all workspaces. The program's own link is
   * not resolved: some programs select their function by their name.
   */
  findExecutable(name: string): string | undefined
  /** Checks if a file exists, by its path relative to the folder of the program's resolved link. */
  hasSibling(program: string, path: string): boolean
  /** Servers are confined to read-only access. */
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
  /** It analyzes files of the project that were not opened. */
  readsWholeProject: boolean
}

const indexes = new WeakMap<readonly LanguageServerDefinition[], ServerIndex>()

/** Returns the servers for a file in order of preference, each with the protocol's language identifier of the file. */
export function serversFor(path: string, servers: readonly LanguageServerDefinition[]): ServerMatch[] {
  const index = indexes.get(servers) ?? new ServerIndex(servers)
  indexes.set(servers, index)
  return index.find(path.slice(path.lastIndexOf('/') + 1))
}

/** Returns the folder that a server takes for the project root of a file. */
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

/** Returns the launch configuration for a project; undefined if the server is not installed, or not for such a project. */
export function resolveLaunchConfig(
  server: LanguageServerDefinition,
  root: string,
  environment: LaunchEnvironment
): LaunchConfig | undefined {
  const folders = selfAndAncestors(root)
  if (isLeftToOtherServer(server, root, environment)) return undefined
  const file = firstDefined(server.programs, program => findProgram(program, folders, environment))
  if (file === undefined) return undefined
  const project: ProjectEnvironment = {
    folder: join(environment.root, root),
    isSandboxed: environment.isSandboxed,
    findInProject: place => findProgram({ projectPath: place }, folders, environment),
    readJsonInProject: place => {
      const path = findInFolders(place, folders, environment)
      return path === undefined ? undefined : environment.readJson(path)
    },
    findExecutable: environment.findExecutable
  }
  return {
    server,
    root,
    file,
    args: [...(server.args ?? []), ...(environment.isSandboxed ? [] : (server.unsandboxedArgs ?? []))],
    environment: server.environment?.(project) ?? {},
    initializationOptions: server.initializationOptions?.(project) ?? {},
    settings: server.settings?.(project) ?? {},
    readsWholeProject: server.readsWholeProject?.(project) ?? true
  }
}

/** Checks if a project requires another server. */
export const isLeftToOtherServer = (
  { excludedBy = [] }: LanguageServerDefinition,
  root: string,
  { exists }: LaunchEnvironment
): boolean => selfAndAncestors(root).some(folder => excludedBy.some(name => exists(join(folder, name))))

function findProgram(
  program: ServerProgram,
  folders: readonly string[],
  environment: LaunchEnvironment
): string | undefined {
  const { requires } = program
  if ('name' in program) {
    const file = environment.findExecutable(program.name)
    return file && (requires === undefined || environment.hasSibling(file, requires)) ? file : undefined
  }
  const found = findInFolders(program.projectPath, folders, environment, requires)
  return found && join(environment.root, found)
}

/** Returns the path, relative to the workspace's root, of a file of the project that a sandboxed server may use. */
function findInFolders(
  place: string,
  folders: readonly string[],
  { isSandboxed, exists }: LaunchEnvironment,
  requires?: string
): string | undefined {
  if (!isSandboxed) return undefined
  return folders
    .map(folder => join(folder, place))
    .find(path => exists(path) && (requires === undefined || exists(join(dirname(path), requires))))
}

function firstDefined<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns a folder and all its ancestors in the workspace. */
export const selfAndAncestors = (folder: string): string[] =>
  folder === '.' ? ['.'] : [folder, ...selfAndAncestors(dirname(folder))]
