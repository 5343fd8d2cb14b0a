// Interface of the sandbox, the only way to confine a command.
import type { Socket } from 'node:net'
import type { BackendName, IsolationLevel } from '../../protocol/isolation-levels.ts'
import type { EgressReport } from '../egress/egress-log.ts'
import type { Workspace } from '../workspace.ts'
import type { GuardedView } from './guard/guarded-paths.ts'

export interface Isolation {
  level: IsolationLevel
  /** Host patterns that it may reach, only through the server's proxy; empty for no network at all. Not with level `none`. */
  network: readonly string[]
  /** TCP ports that it may serve: the server reaches these, and no others. */
  ports?: readonly number[]
  /** The contents of git repositories are hidden: their objects and what git stores like them. Only in a sandbox. */
  hidesHistory?: true
  /** Git in it runs no program that the configuration of a repository names. Only in a sandbox. */
  neutralizesGit?: true
  /**
   * Files and folders of the workspace that cannot be changed, besides protected names: relative to the root. Neither can files be
   * changed then that programs execute automatically, nor anything outside of the workspace, whatever the settings say. Only with
   * `workspace`.
   */
  readOnly?: readonly string[]
  /** Files and folders of the workspace that cannot be read, besides secrets: relative to the root. Only with `workspace`. */
  hides?: readonly string[]
  /** Globs of paths of the workspace that rules for its tool deny or ask about: hidden where the level can hide files. */
  guardedGlobs?: readonly string[]
  /** A person has approved the program: it sees what rules deny or ask about, which is hidden from others. */
  showsGuarded?: true
  /**
   * Folders of the workspace in which what the program writes is discarded: relative to the root. It starts with a copy of their
   * content, if that is wanted and small, else with empty ones. Only with `workspace`.
   */
  discards?: readonly { path: string; isCopied: boolean }[]
}

/** A program about to be started, as the spawner requires it. Paths are absolute, the environment is complete. */
export interface Program {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /**
   * Additional mounts. Without mounting, as with level `none`, arguments that name one are replaced by its host path.
   */
  mounts?: readonly Mount[]
  /** Resource limits, if they differ from those of commands. */
  limits?: Partial<UsageLimits>
  /** It runs on its own terminal, and stays in that terminal's session. */
  terminal?: boolean
}

/** Opens a connection to a port of a program. Throws NETWORK_ERROR if the program does not listen on it. */
export type PortConnector = (port: number) => Promise<Socket>

/** Limits of all its processes together, and of each process. */
export interface UsageLimits {
  memory_bytes: number
  /** Infinity for no limit. */
  cpu_seconds: number
  /** At most as many as commands may open. */
  open_files: number
}

/** A file, folder or socket mounted for a sandboxed program: absolute paths outside and inside. */
export interface Mount {
  from: string
  to: string
  /** A file that the program may write to. */
  isWritable?: true
}

/**
 * The secrets that a program may have read although they are hidden from others, since they appeared, were replaced or moved after
 * it was confined, or since a program that ran beside it may have read them.
 */
export interface SecretExposure {
  /** Looks for them and returns their paths, relative to the root. */
  find(): Promise<string[]>
  /** Aborts as soon as one is known. */
  detected: AbortSignal
  /** Ends tracking the program. */
  end(): void
}

/** The same program, confined. */
export interface ConfinedProgram extends Pick<Program, 'file' | 'args' | 'cwd' | 'env'> {
  /** Files to be opened for reading as descriptors 3, 4, …, in this order. */
  inherit: readonly string[]
  /** `file` is a sandbox around the program, and reports as its own exit code 128 plus the signal that ended the program. */
  isSandbox: boolean
  /** Returns true once the program itself runs, or has ended; without it, it runs as soon as it is started. */
  hasBegun?: (() => boolean) | undefined
  /** Signal by which it ends with all that it has started; SIGKILL if undefined. */
  endSignal?: NodeJS.Signals | undefined
  /** Undefined for a program that may create secrets itself. */
  exposure?: SecretExposure | undefined
  /** The view that rules leave it: a program that stays ends with that. */
  guardedView?: GuardedView | undefined
  /** Connects to one of its ports in its sandbox; undefined if its network is that of the server. */
  connectPort?: PortConnector | undefined
  /** Call once when the program and all its descendants have ended. */
  released(): Promise<SandboxReport>
}

/** Report on files left by a sandboxed command that had to be moved away, and on its run. */
export interface SandboxReport {
  /** Self-starting files, and folders beyond the limit, that the command created and that were quarantined: their paths in the workspace. */
  quarantined: string[]
  /** Absolute path of the folder to which they were moved. */
  folder?: string
  /** Reason why such files could not be checked for. */
  unchecked?: string
  /** Sockets and pipes of other programs, which it could neither use nor move nor remove: their paths in the workspace. */
  special_files?: string[]
  /** Network access attempted by a command that was granted hosts. */
  network?: EgressReport
  /** A process was killed because the command exceeded its memory limit. */
  out_of_memory?: true
  /** The sandbox failed before it started the program. */
  never_began?: true
}

/** Availability of a level, as probed when the server started. */
export interface LevelState {
  level: IsolationLevel
  holds: boolean
  /** Implementation that confines its programs. */
  backend?: BackendName
  /** Its programs can read the secrets and change the protected names in the workspace, although the level is to prevent that. */
  exposes_workspace?: true
  /** Reason why it is unavailable, and how to resolve that. */
  reason?: string
  /** Features that are unavailable although the level is available, such as memory limits. */
  lacks?: string[]
}

/** Availability of the levels on this machine. */
export interface SandboxLevels {
  /**
   * Default level of commands. With the setting `auto` this is known once `states` has answered; before that it is `workspace`.
   */
  readonly default: IsolationLevel
  /** Returns the state of every level; probes them on the first request. */
  states(): Promise<readonly LevelState[]>
  /** Returns true if programs of the level can be granted single hosts. */
  canGrantHosts(level: IsolationLevel): boolean
  /** Returns true if the server can reach ports of programs of the level. */
  canForwardPorts(level: IsolationLevel): boolean
}

export interface Sandbox extends Pick<SandboxLevels, 'default' | 'states'> {
  /** Throws SANDBOX_UNAVAILABLE if the level is unavailable; never falls back to another. */
  confine(program: Program, isolation: Isolation, workspace: Workspace): Promise<ConfinedProgram>
}
