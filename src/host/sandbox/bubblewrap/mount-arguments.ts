// File system view of a sandboxed program, as arguments to bubblewrap. Nothing is visible unless it is mounted: later mounts
// cover earlier ones.

import path from 'node:path'
import type { Config } from '../../../config/schema.ts'
import { ToolError } from '../../../errors.ts'
import { existsSync, lstatSync, readlinkSync, statSync } from '../../files/byte-path-fs.ts'
import type { FolderLink } from '../../files/root-spellings.ts'
import type { GitConfig } from '../guard/git-configs.ts'
import type { WorkspaceGuard } from '../guard/guarded-workspace.ts'
import type { SurroundingRepository } from '../guard/surrounding-repository.ts'
import { isWithin, realPath, resolveConfiguredPath, uppermost } from '../path-within.ts'
import type { Program } from '../sandbox.ts'
import type { Confinement, SandboxedLevel } from '../sandbox-backend.ts'
import type { ToolchainPaths } from '../toolchains.ts'
import type { DiscardedMount } from './discarded-folders.ts'
import { coverGitInfo } from './git-info.ts'
import {
  ETC_MOUNTS,
  ETC_PRIVATE_FOLDERS,
  isMountedByDefault,
  type SandboxFiles,
  writeGitFile
} from './sandbox-files.ts'
import { isSystemPath, SYSTEM_FOLDERS } from './system-folders.ts'

interface MountOptions extends Confinement {
  program: Program
  level: SandboxedLevel
  root: string
  /** Links that lead to the root. */
  links: readonly FolderLink[]
  settings: Config['sandbox']
  guard: WorkspaceGuard
  discarded: readonly DiscardedMount[]
  sandboxFiles: SandboxFiles
  /** The server's, not the program's: variables set by a call must not extend the view. */
  home: string
  toolchains: ToolchainPaths
  /** Files and folders of certificates, wherever they are. */
  certificates: readonly string[]
  /** Guarded entries are passed as open descriptors. */
  canBindFds: boolean
  /** Files and folders of the server. */
  serverFiles: readonly string[]
}

/** The first after standard input, output and error. */
const FIRST_DESCRIPTOR = 3
/**
 * Files in /proc that the kernel opens to the machine's root without further checks: the bare uid suffices, and that stays the
 * same in a sandbox. Settings remain readable.
 */
const PROC_OPEN_TO_ROOT = {
  settings: '/proc/sys',
  rest: [
    'keys',
    'kpagecgroup',
    'kpagecount',
    'kpageflags',
    'mtrr',
    'pressure',
    'slabinfo',
    'sysrq-trigger',
    'timer_list'
  ]
    .map(name => `/proc/${name}`)
    .filter(file => existsSync(file))
}
const MIB = 1024 * 1024
const TMP_BYTES = 1_024 * MIB
const HOME_BYTES = 256 * MIB
const SHM_BYTES = 256 * MIB
const DISCARDED_BYTES = 1_024 * MIB
const RUN_BYTES = 16 * MIB

/** Files that the sandbox inherits open, by their future descriptor numbers. */
export class InheritedFiles {
  readonly files: string[] = []

  add(file: string): string {
    return String(FIRST_DESCRIPTOR + this.files.push(file) - 1)
  }
}

export function mountArguments(view: MountOptions, descriptors: InheritedFiles): string[] {
  const {
    program,
    level,
    hidesHistory,
    hidesCredentials,
    neutralizesGit,
    readOnly: covered,
    hides = [],
    root,
    links,
    settings,
    guard,
    discarded,
    sandboxFiles,
    home,
    toolchains,
    certificates,
    canBindFds
  } = view
  const configured = (folders: readonly string[]) =>
    folders
      .map(folder => resolveConfiguredPath(folder, home))
      .filter(folder => existsSync(folder) && !isWithin(folder, root) && !isSystemPath(folder))
  const read = configured(settings.read)
  const write = configured(settings.write)
  const shown = [...toolchains.folders, ...read, ...write, root]
  const isShown = (file: string) => shown.some(folder => isWithin(file, folder))
  // Nothing can be mounted in a folder that is hidden.
  const never = uppermost(view.serverFiles.flatMap(file => [file, realPath(file)])).filter(
    file => isShown(file) && !guard.hidden.some(folder => isWithin(file, folder))
  )
  const surrounding = hidesHistory ? undefined : guard.findSurrounding()
  const repository = surrounding?.entries.some(isShown) ? undefined : surrounding
  const isOutsideHidden = (file: string) => !guard.hidden.some(folder => isWithin(file, folder))
  const isTaken = (file: string) =>
    isShown(file) || view.serverFiles.some(one => isWithin(file, one) || isWithin(file, realPath(one)))
  const mounted = [...shown, ...guard.outside, ...(repository?.entries ?? [])]
  const hasMounted = (folder: string) => existsSync(folder) && mounted.some(one => isWithin(folder, one))
  return [
    ...systemMounts(sandboxFiles, home),
    ...certificates
      .filter(file => !isMountedByDefault(file) && !isTaken(file) && !isTaken(realPath(file)))
      .flatMap(readOnlyIfExists),
    ...toolchains.folders.flatMap(readOnlyIfExists),
    ...read.flatMap(readOnly),
    ...toolchains.hidden.flatMap(file => hide(sandboxFiles, file)),
    ...guard.outside.filter(folder => !isShown(folder)).flatMap(readOnly),
    ...(repository ? surroundingMounts(sandboxFiles, repository) : []),
    ...(level === 'workspace'
      ? [...['--bind', root, root], ...write.flatMap(covered ? readOnly : writable)]
      : [root, ...write].flatMap(readOnly)),
    ...links
      .filter(({ path: link }) => !isTaken(link) && !isSystemPath(link))
      .flatMap(({ path: link, target }) => ['--symlink', target, link]),
    ...guard.pinnedFolders.flatMap(({ path, procPath }) =>
      canBindFds ? ['--bind-fd', descriptors.add(procPath), path] : writable(path)
    ),
    ...guard.readOnlyEntries.flatMap(({ path, procPath }) =>
      canBindFds ? ['--ro-bind-fd', descriptors.add(procPath), path] : readOnly(path)
    ),
    ...discarded.flatMap(({ path, from }) =>
      from === undefined ? tmpfs(path, DISCARDED_BYTES) : ['--bind', from, path]
    ),
    ...(hidesCredentials
      ? [...guard.gitConfigs, ...(repository?.gitConfigs ?? [])].flatMap(config =>
          withoutCredentials(sandboxFiles, config)
        )
      : []),
    ...(neutralizesGit
      ? [...guard.findGitInfo(), ...(repository?.gitInfo ?? [])]
          .filter(folder => hasMounted(path.dirname(folder)))
          .flatMap(folder => coverGitInfo(sandboxFiles, folder))
      : []),
    ...[...guard.hidden, ...hides.map(file => path.join(root, file)).filter(isOutsideHidden)].flatMap(file =>
      hideOrFail(sandboxFiles, file)
    ),
    ...(hidesHistory ? guard.gitStores.flatMap(store => empty(sandboxFiles, store)) : []),
    ...never.flatMap(file => hide(sandboxFiles, file)),
    ...(program.mounts ?? []).flatMap(({ from, to, isWritable }) => [isWritable ? '--bind' : '--ro-bind', from, to]),
    ...['--remount-ro', '/']
  ]
}

function systemMounts(own: SandboxFiles, home: string): string[] {
  return [
    ...SYSTEM_FOLDERS.flatMap(systemFolderMount),
    ...['--ro-bind', own.etc, '/etc'],
    ...ETC_MOUNTS.flatMap(readOnly),
    ...ETC_PRIVATE_FOLDERS.flatMap(folder => hide(own, folder)),
    ...['--proc', '/proc'],
    ...(process.getuid?.() === 0
      ? [...readOnly(PROC_OPEN_TO_ROOT.settings), ...PROC_OPEN_TO_ROOT.rest.flatMap(file => hide(own, file))]
      : []),
    ...['--dev', '/dev'],
    ...(own.devices ?? []).flatMap(({ from, to }) => ['--dev-bind', from, to]),
    ...tmpfs('/dev/shm', SHM_BYTES),
    ...['--remount-ro', '/dev'],
    ...tmpfs('/tmp', TMP_BYTES),
    ...tmpfs('/run', RUN_BYTES),
    ...['--dir', '/var', '--symlink', '../tmp', '/var/tmp', '--symlink', '../run', '/var/run'],
    ...(isSystemPath(home) || home === '/' || home === '/tmp' ? [] : tmpfs(home, HOME_BYTES))
  ]
}

/** Mounts a folder, or creates the symbolic link that replaces it. */
function systemFolderMount(folder: string): string[] {
  try {
    if (lstatSync(folder).isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
    return statSync(folder).isDirectory() ? readOnly(folder) : []
  } catch {
    return []
  }
}

/** Shows git's folder of a repository, whose index has the workspace alone. The workspace is mounted: git looks beyond it. */
const surroundingMounts = (own: SandboxFiles, { entries, index }: SurroundingRepository) => [
  ...entries.flatMap(readOnly),
  ...['--ro-bind', writeGitFile(own, index.content), index.path],
  ...['--setenv', 'GIT_DISCOVERY_ACROSS_FILESYSTEM', '1']
]

/** Covers a hidden entry with an unreadable one. */
function hide(own: SandboxFiles, at: string): string[] {
  try {
    return ['--ro-bind', statSync(at).isDirectory() ? own.hiddenFolder : own.hiddenFile, at]
  } catch {
    return []
  }
}

/** Covers an entry with an empty one. */
function empty(own: SandboxFiles, at: string): string[] {
  try {
    return ['--ro-bind', statSync(at).isDirectory() ? own.emptyFolder : own.emptyFile, at]
  } catch {
    return []
  }
}

/** Covers a configuration with a copy that has no credentials. */
function withoutCredentials(own: SandboxFiles, { path: at, sanitized }: GitConfig): string[] {
  return existsSync(at) ? ['--ro-bind', writeGitFile(own, Buffer.from(sanitized, 'latin1')), at] : []
}

/** An entry that is gone since it was inspected may have moved elsewhere. */
function hideOrFail(own: SandboxFiles, at: string): string[] {
  const mount = hide(own, at)
  if (mount.length > 0) return mount
  throw new ToolError('STALE_FILE', `${at} was moved or removed while the command was starting. Run the command again.`)
}

const readOnly = (at: string) => ['--ro-bind', at, at]
/** Entries outside workspaces may disappear at any moment. */
const readOnlyIfExists = (at: string) => ['--ro-bind-try', at, at]
const writable = (at: string) => ['--bind', at, at]
const tmpfs = (folder: string, bytes: number) => ['--size', String(bytes), '--tmpfs', folder]
