// Grants of each level that Landlock provides: the files that a command may read and change.
import path from 'node:path'
import { ETC_NAMES, ETC_PRIVATE_FOLDERS } from '../bubblewrap/sandbox-files.ts'
import { SYSTEM_FOLDERS } from '../bubblewrap/system-folders.ts'
import type { WorkspaceGuard } from '../guard/guarded-workspace.ts'
import { realPath, realPathIfExists } from '../path-within.ts'
import type { Confinement, SandboxedLevel } from '../sandbox-backend.ts'
import type { ToolchainPaths } from '../toolchains.ts'
import { type Grant, grantReading, grantWriting, READ_AND_EXECUTE } from './grants.ts'

/** A command's surroundings; all paths are absolute. */
interface GrantScene extends Pick<Confinement, 'hidesHistory' | 'hidesCredentials' | 'hides'> {
  root: string
  /** Undefined at a level without a guard. */
  guard: WorkspaceGuard | undefined
  toolchains: ToolchainPaths
  /** Configured as readable, or as writable. */
  readable: readonly string[]
  writable: readonly string[]
  certificates: readonly string[]
  /** Files and folders of the server. */
  serverFiles: readonly string[]
  /** The program and the configuration of the server: real paths, which commands may read. */
  serverPrograms: readonly string[]
}

/** Names of users, and the order of look-ups: programs ask for them at their start. No passwords are in them. */
const ETC_FILES = ['group', 'hosts', 'nsswitch.conf', 'passwd']
/** They hold private keys too, which are left out. */
const CERTIFICATE_STORES = ['/etc/pki', '/etc/ssl']
const DEVICES: readonly Grant[] = [
  { modes: 'rw', path: '/dev/null' },
  ...['full', 'random', 'urandom', 'zero'].map(name => ({ modes: 'r', path: `/dev/${name}` }))
]
/** Facts about the machine, none about other processes. */
const PROC_FACTS = [
  ...['cpuinfo', 'filesystems', 'loadavg', 'meminfo', 'stat', 'uptime', 'version'],
  ...['sys/fs', 'sys/kernel', 'sys/vm']
].map((name): Grant => ({ modes: 'rl', path: `/proc/${name}` }))
/** Processes of other users and of the server reveal their command lines here, and nothing that they hold. */
const PROC: Grant = { modes: 'rl', path: '/proc' }
/** Folders in which container engines and Kubernetes put secrets. */
const SECRET_MOUNTS = ['/run/secrets', '/var/run/secrets']

export const LEVEL_GRANTS: Readonly<Record<SandboxedLevel, (scene: GrantScene) => Promise<Grant[]>>> = {
  'read-only': async scene => [
    ...PROC_FACTS,
    ...(await grantSurroundings(scene, [scene.root, ...scene.writable])),
    ...DEVICES
  ],
  workspace: async scene => [
    PROC,
    ...(await grantSurroundings(scene, [])),
    ...(await grantEach([scene.root, ...scene.writable], grantWriting, scene.serverFiles)),
    ...DEVICES
  ],
  container: async ({ root, serverFiles, serverPrograms }) => [
    PROC,
    // It may lie in a folder whose entries cannot be listed.
    ...(await grantEach([root], grantWriting, serverFiles)),
    ...(await grantEach(['/'], grantWriting, [
      ...serverFiles,
      ...serverPrograms,
      ...withRealPaths(SECRET_MOUNTS),
      ...['/proc', '/dev', '/sys']
    ])),
    ...(await grantEach(serverPrograms, grantReading, serverFiles)),
    ...DEVICES,
    { modes: 'rl', path: '/sys' },
    ...['full', 'zero', 'tty', 'ptmx'].map(name => ({ modes: 'rwi', path: `/dev/${name}` })),
    { modes: 'rwli', path: '/dev/pts' },
    { modes: 'rlwcdm', path: '/dev/shm' }
  ]
}

/** Returns grants to read the system's programs, toolchains, certificates, git's external folders, and further folders. */
async function grantSurroundings(scene: GrantScene, further: readonly string[]): Promise<Grant[]> {
  const {
    root,
    guard,
    hides = [],
    hidesHistory,
    hidesCredentials,
    toolchains,
    readable,
    certificates,
    serverFiles
  } = scene
  const repository = hidesHistory ? undefined : guard?.findSurrounding()
  const gitConfigs = [...(guard?.gitConfigs ?? []), ...(repository?.gitConfigs ?? [])]
  const hidden = guard && [
    ...guard.hidden,
    ...hides.map(file => path.join(root, file)),
    ...(hidesHistory ? guard.gitStores : []),
    ...(hidesCredentials ? gitConfigs.map(config => config.path) : [])
  ]
  const trees = [
    ...further,
    ...(guard?.outside ?? []),
    ...(repository?.entries ?? []),
    ...toolchains.folders,
    ...readable
  ]
  const excluded = [...(hidden ?? []), ...toolchains.hidden, ...ETC_PRIVATE_FOLDERS, ...serverFiles]
  return [
    ...SYSTEM_GRANTS,
    ...(await grantEach([...trees, ...certificates, ...CERTIFICATE_STORES], grantReading, excluded))
  ]
}

async function grantEach(trees: readonly string[], grant: typeof grantReading, excluded: readonly string[]) {
  return (await Promise.all(trees.flatMap(realPathIfAny).map(tree => grant(tree, excluded)))).flat()
}

/** Returns paths with those that they lead to. */
export const withRealPaths = (files: readonly string[]) => files.flatMap(file => [file, realPath(file)])

const realPathIfAny = (file: string) => realPathIfExists(file) ?? []

const SYSTEM_GRANTS: readonly Grant[] = [
  ...SYSTEM_FOLDERS.flatMap(realPathIfAny).map(folder => ({
    modes: READ_AND_EXECUTE,
    path: folder
  })),
  ...[...ETC_NAMES.mounted, ...ETC_NAMES.copied, ...ETC_FILES]
    .map(name => path.join('/etc', name))
    .filter(file => !CERTIFICATE_STORES.includes(file))
    .flatMap(realPathIfAny)
    .map(file => ({ modes: 'rl', path: file }))
]
