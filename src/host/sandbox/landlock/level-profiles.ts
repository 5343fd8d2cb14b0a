// Differences between the levels that Landlock provides, besides the files that they grant: system calls, network, folders.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ProbeAttempt } from '../probe-attempts.ts'
import type { Program } from '../sandbox.ts'
import type { SandboxBackendOptions, SandboxedLevel } from '../sandbox-backend.ts'
import {
  LANDLOCK_CONTAINER_SYSCALLS,
  LANDLOCK_READ_ONLY_SYSCALLS,
  LANDLOCK_WORKSPACE_SYSCALLS
} from '../seccomp/landlock-calls.ts'
import type { SyscallTables } from '../seccomp/seccomp-calls.ts'
import { GIT_ATTRIBUTES_FILE, secretAttributes } from '../secret-attributes.ts'

interface LevelProfile {
  syscalls: SyscallTables
  /** Returns the program with what it needs of its private folder, an absolute path. */
  prepare(program: Program, folder: string, options: Pick<SandboxBackendOptions, 'sensitive'>): Program
  /** The network is the server's. */
  hasNetwork: boolean
  /** The workspace is guarded: it is looked through for secrets and protected names. */
  guards: boolean
  lacks: readonly string[]
  /** Attempts of the self-test that may succeed, since the level means that or `lacks` names them. */
  permits: readonly ProbeAttempt[]
}

const ATTRIBUTES =
  "protection of modes, times and attributes: a command can change those of all files of the server's user"
const NAMES =
  'hidden names: a command can see that files outside the workspace exist, and processes with their command lines'

export const LEVEL_PROFILES: Readonly<Record<SandboxedLevel, LevelProfile>> = {
  'read-only': {
    syscalls: LANDLOCK_READ_ONLY_SYSCALLS,
    prepare: withPrivateHome,
    hasNetwork: false,
    guards: true,
    lacks: [
      'hidden names: a command can list the names in folders that contain secrets, and see that files outside the workspace exist',
      'changes to modes and times of files, even of temporary files',
      'process namespaces: a command cannot see other processes in /proc, not even its own child processes'
    ],
    permits: []
  },
  workspace: {
    syscalls: LANDLOCK_WORKSPACE_SYSCALLS,
    prepare: withPrivateHome,
    hasNetwork: false,
    guards: true,
    lacks: [
      'hidden secrets: a command can read secrets in the workspace',
      'protected names: changes of a command to git hooks, configuration and editor settings are reverted only after it ends',
      NAMES,
      ATTRIBUTES
    ],
    permits: ['change a file outside', 'see processes outside']
  },
  container: {
    syscalls: LANDLOCK_CONTAINER_SYSCALLS,
    prepare: withTemporaryFolder,
    hasNetwork: true,
    guards: false,
    lacks: [NAMES, ATTRIBUTES],
    // All of the container, as far as the server's user may list the folders around the server's files.
    permits: [
      ...(['read a file outside', 'write a file outside', 'change a file outside', 'see processes outside'] as const),
      ...(['connect to a port of this machine', 'connect to a socket outside', 'send a datagram'] as const)
    ]
  }
}

function withTemporaryFolder(program: Program, folder: string): Program {
  return { ...program, env: { ...program.env, TMPDIR: folder } }
}

function withPrivateHome(
  program: Program,
  folder: string,
  { sensitive }: Pick<SandboxBackendOptions, 'sensitive'>
): Program {
  const home = path.join(folder, 'home')
  mkdirSync(home)
  const attributes = path.join(folder, path.basename(GIT_ATTRIBUTES_FILE))
  writeFileSync(attributes, secretAttributes(sensitive).join('\n'))
  return {
    ...program,
    mounts: [...(program.mounts ?? []), { from: attributes, to: GIT_ATTRIBUTES_FILE }],
    // Git ends with an error where a configuration exists that it may not read.
    env: { ...program.env, TMPDIR: folder, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  }
}
