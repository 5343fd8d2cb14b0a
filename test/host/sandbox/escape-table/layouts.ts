// Layouts in which a server may run, and how a program is started in one. Containers are emulated by bubblewrap, with Docker's default
// capabilities and a filter of system calls that, like its default profile, forbids namespaces and mounts.
import { spawn } from 'node:child_process'
import { closeSync, type Dirent, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { buildFilter } from '../../../../src/host/sandbox/seccomp/seccomp.ts'
import {
  CONDITIONAL_SYSCALLS,
  DENIED_SYSCALLS,
  UNIMPLEMENTED_SYSCALLS
} from '../../../../src/host/sandbox/seccomp/seccomp-calls.ts'
import { exitOf } from '../../../support/wait.ts'

export const ORDINARY_ID = 65_534

export interface Layout {
  name: string
  user: 'root' | 'ordinary'
  container?: { isReadOnly: boolean; hasMarker: boolean; capabilities: 'default' | 'none' }
}

/** All attempts at each level take about a minute. */
const LAYOUT_MS = 600_000

/** Those of Docker's default. */
const CAPABILITIES =
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'
    .split(' ')
    .map(name => `CAP_${name}`)

export const LAYOUTS: readonly Layout[] = [
  { name: 'host, root', user: 'root' },
  { name: 'host, user', user: 'ordinary' },
  {
    name: 'container, root',
    user: 'root',
    container: { isReadOnly: false, hasMarker: true, capabilities: 'default' }
  },
  {
    name: 'container, user',
    user: 'ordinary',
    container: { isReadOnly: false, hasMarker: true, capabilities: 'default' }
  },
  {
    name: 'pod, user',
    user: 'ordinary',
    container: { isReadOnly: true, hasMarker: false, capabilities: 'none' }
  }
]

/** Allowed by Docker's default profile, of the calls that this project denies. */
const ALLOWED_IN_CONTAINERS = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'process_mrelease',
  'chroot',
  'name_to_handle_at',
  'modify_ldt',
  'clock_adjtime',
  'adjtimex'
]

/** Starts a program in a layout. Its folder, for temporary files, belongs to the user. Throws unless it ends with code 0. */
export async function runInLayout(layout: Layout, folder: string, program: readonly string[], env = process.env) {
  const [file, ...args] = [...enterContainer(layout, folder), ...becomeUser(layout), ...program] as [
    string,
    ...string[]
  ]
  const filter = path.join(folder, 'filter')
  writeFileSync(filter, containerFilter())
  const input = openSync(filter, 'r')
  const limit = { timeout: LAYOUT_MS, killSignal: 'SIGKILL' } as const
  const child = spawn(file, args, { ...limit, env, cwd: '/', stdio: ['ignore', 'pipe', 'inherit', input] })
  closeSync(input)
  const [output, { code, signal }] = await Promise.all([text(child.stdout!), exitOf(child)])
  if (code !== 0) throw new Error(`${layout.name}: ${program.join(' ')} ended with ${code ?? signal}.`)
  return output
}

function becomeUser({ user, container }: Layout): string[] {
  if (user === 'root') return []
  const bounds = container?.capabilities === 'none' ? ['--bounding-set=-all'] : []
  return ['setpriv', `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, '--clear-groups', '--inh-caps=-all', ...bounds]
}

function enterContainer({ container }: Layout, folder: string): string[] {
  if (container === undefined) return []
  const { isReadOnly, hasMarker } = container
  return [
    'bwrap',
    ...readdirSync('/', { withFileTypes: true }).flatMap(entry => mountEntry(entry, isReadOnly)),
    ...['--bind', folder, folder],
    ...(hasMarker ? ['--ro-bind', '/dev/null', '/.dockerenv'] : []),
    ...(isReadOnly ? ['--remount-ro', '/'] : []),
    ...['--cap-drop', 'ALL', ...CAPABILITIES.flatMap(name => ['--cap-add', name])],
    ...['--seccomp', '3', '--']
  ]
}

/** Mounts an entry of the root folder of this machine; single files, such as /.dockerenv, are left out. */
function mountEntry(entry: Dirent, isReadOnly: boolean): string[] {
  const place = `/${entry.name}`
  if (entry.isSymbolicLink()) return ['--symlink', readlinkSync(place), place]
  if (!entry.isDirectory()) return []
  if (place === '/dev') return ['--dev-bind', place, place]
  const isFixed = place === '/sys' || (isReadOnly && place !== '/proc')
  return [isFixed ? '--ro-bind' : '--bind', place, place]
}

/** Returns a filter like that of Docker's default profile, as far as this project's tables name its calls. */
function containerFilter(): Buffer {
  const denied = Object.entries(DENIED_SYSCALLS).filter(([name]) => !ALLOWED_IN_CONTAINERS.includes(name))
  const filter = buildFilter(process.arch, {
    denied: Object.fromEntries(denied),
    unavailable: {},
    unimplemented: { clone3: UNIMPLEMENTED_SYSCALLS.clone3! },
    conditional: { clone: CONDITIONAL_SYSCALLS.clone! }
  })
  if (filter === undefined) throw new Error(`There are no tables of system calls for ${process.arch}.`)
  return filter
}
