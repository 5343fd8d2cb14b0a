// What a sandboxed program sees of the disk, as arguments to bubblewrap. Nothing is there unless it is put there: what
// comes later lies over what came before.
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import type { Config } from '../../../config/schema.ts'
import { ToolError } from '../../../errors.ts'
import type { Guard } from '../guard/guarded-workspace.ts'
import { expanded, isBeneath, real } from '../path-within.ts'
import type { Program } from '../sandbox.ts'
import type { KeptLevel } from '../sandbox-backend.ts'
import type { Seen } from '../toolchains.ts'
import { fromEtc, isAtHand, type OwnFiles } from './sandbox-files.ts'
import { isSystem, SYSTEM } from './system-folders.ts'

interface View {
  program: Program
  level: KeptLevel
  root: string
  settings: Config['sandbox']
  guard: Guard
  own: OwnFiles
  /** Of the server, not of the program: what a call sets must not show it more. */
  home: string
  toolchains: Seen
  /** Files and folders of certificates, wherever they are. */
  certificates: readonly string[]
  /** What is guarded is handed over open. */
  byDescriptor: boolean
  /** Files and folders of the server. */
  never: readonly string[]
}

/** After standard input, output and error. */
const FIRST_DESCRIPTOR = 3
/** In /proc, what the kernel opens to whoever is root on the machine without asking for more: the bare number of the user
 * is enough, and that stays the same in a sandbox. Settings can still be read. */
const OPEN_TO_ROOT = {
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
const TEMPORARY = 1_024 * MIB
const HOME = 256 * MIB
const SHARED_MEMORY = 256 * MIB
const RUN = 16 * MIB

/** Files that the sandbox inherits open, by the numbers they will have. */
export class Descriptors {
  readonly files: string[] = []

  of(file: string): string {
    return String(FIRST_DESCRIPTOR + this.files.push(file) - 1)
  }
}

export function viewOf(view: View, descriptors: Descriptors): string[] {
  const { program, level, root, settings, guard, own, home, toolchains, certificates, byDescriptor } = view
  const configured = (folders: readonly string[]) =>
    folders
      .map(folder => expanded(folder, home))
      .filter(folder => existsSync(folder) && !isBeneath(folder, root) && !isSystem(folder))
  const read = configured(settings.read)
  const write = configured(settings.write)
  const shown = [...toolchains.folders, ...read, ...write, root]
  const isShown = (file: string) => shown.some(folder => isBeneath(file, folder))
  const never = view.never.flatMap(file => [file, real(file)]).filter(isShown)
  const isTaken = (file: string) =>
    isShown(file) || view.never.some(one => isBeneath(file, one) || isBeneath(file, real(one)))
  return [
    ...systemView(own, home),
    ...certificates.filter(file => !isAtHand(file) && !isTaken(file) && !isTaken(real(file))).flatMap(ifThere),
    ...toolchains.folders.flatMap(ifThere),
    ...read.flatMap(readOnly),
    ...toolchains.hidden.flatMap(file => hide(own, file)),
    ...guard.outside.filter(folder => !isShown(folder)).flatMap(readOnly),
    ...(level === 'workspace'
      ? [...['--bind', root, root], ...write.flatMap(writable)]
      : [root, ...write].flatMap(readOnly)),
    ...guard.pinned.flatMap(({ path, door }) =>
      byDescriptor ? ['--bind-fd', descriptors.of(door), path] : writable(path)
    ),
    ...guard.held.flatMap(({ path, door }) =>
      byDescriptor ? ['--ro-bind-fd', descriptors.of(door), path] : readOnly(path)
    ),
    ...guard.hidden.flatMap(file => hideSurely(own, file)),
    ...[...new Set(never)].flatMap(file => hide(own, file)),
    ...(program.mounts ?? []).flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...['--remount-ro', '/']
  ]
}

function systemView(own: OwnFiles, home: string): string[] {
  return [
    ...SYSTEM.flatMap(systemFolder),
    ...['--ro-bind', own.etc, '/etc'],
    ...fromEtc.flatMap(readOnly),
    ...['--proc', '/proc'],
    ...(process.getuid?.() === 0
      ? [...readOnly(OPEN_TO_ROOT.settings), ...OPEN_TO_ROOT.rest.flatMap(file => hide(own, file))]
      : []),
    ...['--dev', '/dev'],
    ...(own.devices ?? []).flatMap(({ from, to }) => ['--dev-bind', from, to]),
    ...sized('/dev/shm', SHARED_MEMORY),
    ...['--remount-ro', '/dev'],
    ...sized('/tmp', TEMPORARY),
    ...sized('/run', RUN),
    ...['--dir', '/var', '--symlink', '../tmp', '/var/tmp', '--symlink', '../run', '/var/run'],
    ...(isSystem(home) || home === '/' || home === '/tmp' ? [] : sized(home, HOME))
  ]
}

/** A folder as it is, or the link that stands for it. */
function systemFolder(folder: string): string[] {
  try {
    if (lstatSync(folder).isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
    return statSync(folder).isDirectory() ? readOnly(folder) : []
  } catch {
    return []
  }
}

/** Puts something unreadable over what must not be seen. */
function hide(own: OwnFiles, at: string): string[] {
  try {
    return ['--ro-bind', statSync(at).isDirectory() ? own.hiddenFolder : own.hiddenFile, at]
  } catch {
    return []
  }
}

/** Where it is gone since it was seen, it may be elsewhere. */
function hideSurely(own: OwnFiles, at: string): string[] {
  const mount = hide(own, at)
  if (mount.length > 0) return mount
  throw new ToolError('STALE_FILE', `${at} was moved or removed as the command was about to start. Try again.`)
}

const readOnly = (at: string) => ['--ro-bind', at, at]
/** What is no workspace's may go at any moment. */
const ifThere = (at: string) => ['--ro-bind-try', at, at]
const writable = (at: string) => ['--bind', at, at]
const sized = (folder: string, bytes: number) => ['--size', String(bytes), '--tmpfs', folder]
