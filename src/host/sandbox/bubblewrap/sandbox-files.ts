// What the sandbox needs as files of its own, written once into a folder that nobody else can look into: the filter of
// system calls, a small /etc, and what stands where something is hidden.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { isWithin } from '../path-within.ts'
import { type Device, makeDevices } from './devices.ts'
import { buildFilter } from './seccomp.ts'
import { isSystemPath } from './system-folders.ts'

export interface SandboxFiles {
  /** All of them. */
  folder: string
  /** The filter; undefined for a processor that there is none for. */
  seccomp: string | undefined
  etc: string
  /** Undefined where the machine's own must do although a program may change them. */
  devices: readonly Device[] | undefined
  /** Nothing in them, and nobody may look. */
  hiddenFile: string
  hiddenFolder: string
}

/** Who a program is, as far as it can see. */
interface Identity {
  uid: number
  gid: number
  home: string
}

/** From the system's own /etc, where it is there: how programs are found, loaded and localised, and whom TLS trusts.
 * Never what may hold passwords, and never who answers for names: there is nobody to ask. */
const ETC_NAMES = {
  /** Each costs every command a mount; so it is only what is large, or changes as programs are installed. */
  mounted: [
    'alternatives',
    'crypto-policies',
    'fonts',
    'java-11-openjdk',
    'java-17-openjdk',
    'java-21-openjdk',
    'java-25-openjdk',
    'ld.so.cache',
    'maven',
    'pki',
    'ssl'
  ],
  copied: ['ld.so.conf', 'localtime', 'magic', 'mime.types', 'os-release', 'protocols', 'services']
}

/** Files and folders to be mounted over their places in the small /etc. */
export const ETC_MOUNTS: readonly string[] = ETC_NAMES.mounted
  .map(name => `/etc/${name}`)
  .filter(name => existsSync(name))

/** Whether the system's folders as a sandbox has them hold it, or nothing can be put there. */
export const isMountedByDefault = (file: string) =>
  isSystemPath(file) && (!isWithin(file, '/etc') || ETC_MOUNTS.some(folder => isWithin(file, folder)))

/** Where they are. */
export const sandboxFolder = (stateDir: string) => path.join(stateDir, 'sandbox')

/** `certificates`: those in the system's /etc have to be mounted over something here. */
export function writeSandboxFiles(folder: string, identity: Identity, certificates: readonly string[]): SandboxFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const filter = buildFilter(process.arch)
  const files: SandboxFiles = {
    folder,
    seccomp: filter && path.join(folder, 'filter.bpf'),
    etc: path.join(folder, 'etc'),
    devices: makeDevices(path.join(folder, 'devices')),
    hiddenFile: path.join(folder, 'hidden-file'),
    hiddenFolder: path.join(folder, 'hidden-folder')
  }
  if (files.seccomp && filter) writeFileSync(files.seccomp, filter, { mode: 0o600 })
  writeEtc(files.etc, identity)
  for (const file of certificates.filter(one => isWithin(one, '/etc') && !isMountedByDefault(one))) {
    const place = path.join(files.etc, path.relative('/etc', file))
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o755 })
    makeMountPoint(place, statSync(file).isDirectory())
  }
  if (!existsSync(files.hiddenFile)) writeFileSync(files.hiddenFile, '')
  chmodSync(files.hiddenFile, 0)
  mkdirSync(files.hiddenFolder, { recursive: true })
  chmodSync(files.hiddenFolder, 0)
  return files
}

function writeEtc(etc: string, { uid, gid, home }: Identity) {
  mkdirSync(etc, { recursive: true, mode: 0o755 })
  const write = (name: string, ...lines: string[]) => writeFileSync(path.join(etc, name), `${lines.join('\n')}\n`)
  write('passwd', `user:x:${uid}:${gid}:user:${home}:/bin/sh`, 'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin')
  write('group', `user:x:${gid}:`, 'nogroup:x:65534:')
  write('hosts', '127.0.0.1 localhost sandbox', '::1 localhost')
  write('nsswitch.conf', 'passwd: files', 'group: files', 'hosts: files')
  write('shells', '/bin/sh', '/bin/bash')
  link('/proc/mounts', path.join(etc, 'mtab'))
  for (const name of ETC_NAMES.copied)
    if (existsSync(`/etc/${name}`)) writeFileSync(path.join(etc, name), readFileSync(`/etc/${name}`))
  for (const from of ETC_MOUNTS) makeMountPoint(path.join(etc, path.basename(from)), statSync(from).isDirectory())
}

/** Something has to be where something is to be mounted. */
function makeMountPoint(place: string, isFolder: boolean) {
  if (existsSync(place)) return
  if (isFolder) mkdirSync(place)
  else writeFileSync(place, '')
}

function link(target: string, place: string) {
  try {
    symlinkSync(target, place)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}
