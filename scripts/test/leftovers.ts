// Checks that a run leaves the machine unchanged: processes, mounts, modes of devices, control groups and files.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import { globbySync } from 'globby'
import { isStaleCgroup } from '../../src/host/processes/cgroup-names.ts'

/** Locations used by programs that ignore TMPDIR and HOME. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm']
/** Number of paths listed for a leftover in a temporary folder. */
const LISTED = 6
/** Excludes the folders of other runs, `tgt-`, which come and go. */
const OWN_NAME = /toolgate|^(?:tg|full)-/
/** The pid of the server in the name of a temporary folder. */
const OWN_PID = /^toolgate-\w+-(\d+)-/
/** File names used by programs that tests start. Those of other programs on the machine are ignored. */
const STARTED_NAME =
  /^\.?(?:cargo|chrom|clangd|com\.google|emacs|fish|go-build|gopls|node|npm|nvim|org\.chromium|playwright|preamble|pyright|pytest|rust|tmux|tsserver|v8|yaml|zsh)/i
/** Location of the folders of tests. */
const TAP_FIXTURES = '.tap/fixtures'
/** Terminals come and go, and their modes with them. */
const DEVICES_OF_OTHERS = /^\/dev\/(?:pts|mqueue|shm|fd|vcs|tty)/

/** The state of the machine: a description by its subject, such as the path of a device. */
type Snapshot = Map<string, string>

/**
 * Describes the state that tests could change outside the folder of their run. For a nested run, as tests of the runner make it,
 * the snapshot is empty: concurrent changes come from the outer run.
 */
export function takeSnapshot(): Snapshot {
  if (process.env.TEST_RUN !== undefined) return new Map()
  return new Map([...mounts(), ...devices(), ...controlGroups(), ...sharedFiles(), ...repository()])
}

/**
 * Returns a line for each difference between the two snapshots, for each process of this run that still runs, and for each file
 * of ours in its folder for temporary files. Files elsewhere count by their names: those of Toolgate, and in CI those of the
 * programs that tests start. In CI every change of the repository counts.
 */
export function describeLeftovers(before: Snapshot, after: Snapshot, runFolder: string): string[] {
  const changes: string[] = []
  for (const [about, now] of after) {
    const then = before.get(about)
    if (then === undefined && isOurs(about)) changes.push(`${about}: ${now}`)
    if (then !== undefined && then !== now) changes.push(`${about}: was ${then}, is ${now}`)
  }
  for (const [about, then] of before)
    if (!after.has(about) && isOurs(about) && !/^(?:control group|file) /.test(about))
      changes.push(`${about}: gone, was ${then}`)
  const temporary = path.join(runFolder, 'tmp')
  const left = readdirSync(temporary).filter(name => OWN_NAME.test(name))
  return [...changes, ...processesOf(runFolder), ...left.map(name => `in TMPDIR ${contentsOf(temporary, name)}`)]
}

/** Returns the name with some of the paths under it, which identify its origin. */
function contentsOf(folder: string, name: string): string {
  const descendants = globbySync(`${name}/**`, { cwd: folder, dot: true, onlyFiles: false, suppressErrors: true })
  return [name, ...descendants.slice(-LISTED)].join(' ')
}

function isOurs(about: string): boolean {
  const name = path.basename(about)
  // A server that a person runs beside the tests.
  if (about.startsWith('file ') && existsSync(`/proc/${OWN_PID.exec(name)?.[1]}`)) return false
  if (about.startsWith('file ')) return OWN_NAME.test(name) || (process.env.CI !== undefined && STARTED_NAME.test(name))
  return process.env.CI !== undefined || !about.startsWith('repository ') || OWN_NAME.test(name)
}

function mounts(): [string, string][] {
  // See proc_pid_mountinfo(5): the fifth field is the mount point, the type of the file system follows a lone hyphen.
  return linesOf('/proc/self/mountinfo').map(line => {
    const fields = line.split(' ')
    return [`mount ${fields[4]}`, fields.slice(fields.indexOf('-') + 1).join(' ')]
  })
}

function devices(): [string, string][] {
  const paths = globbySync('/dev/**', { onlyFiles: false, followSymbolicLinks: false, suppressErrors: true })
  return paths
    .filter(file => !DEVICES_OF_OTHERS.test(file))
    .flatMap(file => {
      const stat = lstatSync(file, { throwIfNoEntry: false })
      return stat ? [[`device ${file}`, `mode ${stat.mode.toString(8)}, owner ${stat.uid}:${stat.gid}`]] : []
    })
}

/** Control groups of servers that have ended. Others may run concurrently with the tests. */
function controlGroups(): [string, string][] {
  const folders = globbySync('/sys/fs/cgroup/**/toolgate-*', { onlyDirectories: true, suppressErrors: true })
  const isLeft = (folder: string) =>
    ['toolgate', 'toolgate-commands'].some(prefix => isStaleCgroup(prefix, path.basename(folder)))
  return folders.filter(isLeft).map(folder => [`control group ${folder}`, 'there'])
}

function sharedFiles(): [string, string][] {
  const home = homedir()
  const folders = [
    ...SHARED_FOLDERS,
    tmpdir(),
    home,
    ...['.config', '.cache', '.local/share', '.local/state'].map(name => path.join(home, name))
  ]
  return [...new Set(folders)]
    .filter(existsSync)
    .flatMap(folder =>
      readdirSync(folder).map(name => [`file ${path.join(folder, name)}`, 'there'] as [string, string])
    )
}

/**
 * Includes ignored files: tests must not write beside their fixtures. A folder that is ignored as a whole, such as node_modules
 * with its compile cache, counts as one; in that of tap each folder of a test does.
 */
function repository(): [string, string][] {
  const folders = existsSync(TAP_FIXTURES) ? readdirSync(TAP_FIXTURES) : []
  const ofTests = folders.map((name): [string, string] => [`repository ${TAP_FIXTURES}/${name}`, 'there'])
  const status = ['status', '--porcelain', '--ignored=matching', '--untracked-files=all']
  const { failed, stdout } = execaSync('git', status, { lines: true, reject: false })
  if (failed) return ofTests
  return [
    ...ofTests,
    ...stdout
      .filter(line => line !== '!! .tap/')
      .map((line): [string, string] => [`repository ${line.slice(3)}`, line.slice(0, 2)])
  ]
}

/** Returns processes that have the folder of the run in their environment, arguments or working folder. */
function processesOf(runFolder: string): string[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap(pid => {
      try {
        const [command, environment] = ['cmdline', 'environ'].map(name => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
        const traces = `${command}\n${environment}\n${readlinkSync(`/proc/${pid}/cwd`)}`
        return traces.includes(runFolder) ? [`process ${pid}: ${command!.replaceAll('\0', ' ').trim()}`] : []
      } catch {
        // Ended in the meantime, or owned by another user.
        return []
      }
    })
}

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])
