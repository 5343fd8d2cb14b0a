// The sandbox's own files, written once into a private folder: the seccomp filter, a small /etc, and the covers of hidden
// entries.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { isWithin } from '../path-within.ts'
import { buildFilter } from '../seccomp/seccomp.ts'
import { GIT_ATTRIBUTES_FILE, secretAttributes } from '../secret-attributes.ts'
import { type Device, makeDevices } from './devices.ts'
import { isSystemPath } from './system-folders.ts'

export interface SandboxFiles {
  /** Folder of all of them. */
  folder: string
  /** The seccomp filter; undefined for an unsupported processor. */
  seccomp: string | undefined
  etc: string
  /** Undefined if the machine's own must be used although a program may change them. */
  devices: readonly Device[] | undefined
  /** Empty and unreadable. */
  hiddenFile: string
  hiddenFolder: string
  /** Empty and readable. */
  emptyFile: string
  emptyFolder: string
  /** Attributes by which git leaves out files that may hold credentials. */
  gitAttributes: string
  /** Folder for configurations of git without credentials, and indexes of a part of a repository. */
  gitFiles: string
}

interface SandboxFilesOptions {
  /** User identity as visible to a program. */
  uid: number
  gid: number
  home: string
  /** Files and folders of certificates: those in the system's /etc need mount points here. */
  certificates: readonly string[]
  /** Name patterns that are sensitive besides the built-in ones. */
  sensitive: readonly string[]
}

/**
 * From the system's own /etc, if present: program lookup, loader, locale, and trusted certificate authorities. Never files that
 * may hold passwords, and never name service configuration: no service is reachable.
 */
export const ETC_NAMES = {
  /** Each costs every command a mount; so it is only what is large, or changes when programs are installed. */
  mounted: [
    'alternatives',
    'chromium.d',
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

/** Private keys in these folders: a server that runs as root can read them, its commands must not. */
export const ETC_PRIVATE_FOLDERS: readonly string[] = ['/etc/pki/tls/private', '/etc/ssl/private']

/** Files and folders to be mounted over their places in the small /etc. */
export const ETC_MOUNTS: readonly string[] = ETC_NAMES.mounted
  .map(name => `/etc/${name}`)
  .filter(name => existsSync(name))

/** Checks if the sandbox's system folders contain a file, or nothing can be mounted there. */
export const isMountedByDefault = (file: string) =>
  isSystemPath(file) && (!isWithin(file, '/etc') || ETC_MOUNTS.some(folder => isWithin(file, folder)))

/** Returns the folder of the sandbox's files. */
export const sandboxFolder = (stateDir: string) => path.join(stateDir, 'sandbox')

export async function writeSandboxFiles(folder: string, options: SandboxFilesOptions): Promise<SandboxFiles> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const filter = buildFilter(process.arch)
  const files: SandboxFiles = {
    folder,
    seccomp: filter && path.join(folder, 'filter.bpf'),
    etc: path.join(folder, 'etc'),
    devices: await makeDevices(path.join(folder, 'devices')),
    hiddenFile: path.join(folder, 'hidden-file'),
    hiddenFolder: path.join(folder, 'hidden-folder'),
    emptyFile: path.join(folder, 'empty-file'),
    emptyFolder: path.join(folder, 'empty-folder'),
    gitAttributes: path.join(folder, 'etc', path.basename(GIT_ATTRIBUTES_FILE)),
    gitFiles: path.join(folder, 'git-files')
  }
  if (files.seccomp && filter) writeFileSync(files.seccomp, filter, { mode: 0o600 })
  writeEtc(files.etc, options)
  for (const file of options.certificates.filter(one => isWithin(one, '/etc') && !isMountedByDefault(one))) {
    const place = path.join(files.etc, path.relative('/etc', file))
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o755 })
    makeMountPoint(place, statSync(file).isDirectory())
  }
  if (!existsSync(files.hiddenFile)) writeFileSync(files.hiddenFile, '')
  chmodSync(files.hiddenFile, 0)
  mkdirSync(files.hiddenFolder, { recursive: true })
  chmodSync(files.hiddenFolder, 0)
  if (!existsSync(files.emptyFile)) writeFileSync(files.emptyFile, '')
  chmodSync(files.emptyFile, 0o444)
  mkdirSync(files.emptyFolder, { recursive: true, mode: 0o755 })
  // Copies of earlier versions.
  rmSync(files.gitFiles, { recursive: true, force: true })
  return files
}

/** Writes what is to be mounted over a file of git; returns its path. Equal copies are shared. */
export function writeGitFile({ gitFiles }: SandboxFiles, content: Buffer): string {
  const copy = path.join(gitFiles, createHash('sha256').update(content).digest('hex'))
  if (existsSync(copy)) return copy
  mkdirSync(gitFiles, { recursive: true, mode: 0o755 })
  writeFileSync(copy, content, { mode: 0o644 })
  return copy
}

function writeEtc(etc: string, { uid, gid, home, sensitive }: SandboxFilesOptions) {
  mkdirSync(etc, { recursive: true, mode: 0o755 })
  const write = (name: string, ...lines: string[]) => writeFileSync(path.join(etc, name), `${lines.join('\n')}\n`)
  write('passwd', `user:x:${uid}:${gid}:user:${home}:/bin/sh`, 'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin')
  write('group', `user:x:${gid}:`, 'nogroup:x:65534:')
  write('hosts', '127.0.0.1 localhost sandbox', '::1 localhost')
  write('nsswitch.conf', 'passwd: files', 'group: files', 'hosts: files')
  write('shells', '/bin/sh', '/bin/bash')
  write(path.basename(GIT_ATTRIBUTES_FILE), ...secretAttributes(sensitive))
  link('/proc/mounts', path.join(etc, 'mtab'))
  for (const name of ETC_NAMES.copied)
    if (existsSync(`/etc/${name}`)) writeFileSync(path.join(etc, name), readFileSync(`/etc/${name}`))
  for (const from of ETC_MOUNTS) makeMountPoint(path.join(etc, path.basename(from)), statSync(from).isDirectory())
}

/** A mount needs an existing mount point. */
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
