// Protocol between the server and the helper that starts its processes.

/**
 * Requests of the server. A process's `id` is chosen by the server, `mark` is a NAME=value that all its descendants carry. `freeze`
 * has an id of the same kind, for its answer and for `thaw`.
 */
export type SpawnerRequest =
  | { op: 'pipes'; paths: string[] }
  | {
      op: 'spawn'
      id: number
      file: string
      args: string[]
      cwd: string
      /** `device:inode` that the folder must have; undefined for any. */
      cwd_identity: string | undefined
      env: Record<string, string>
      mark: string
      stdin: string | undefined
      stdout: string
      /** Undefined for that of standard output. */
      stderr: string | undefined
      /** Opened for reading as descriptors 3, 4, … */
      inherit: string[]
      niceness: number
      /** The program is a sandbox; signals are for its contents. */
      sandbox: boolean
      /** Ends the program with all that it has started. */
      end_signal: NodeJS.Signals
    }
  | { op: 'kill'; id: number; grace_ms: number }
  | { op: 'signal'; id: number; signal: NodeJS.Signals }
  | { op: 'sweep'; id: number; pid: number; mark: string; grace_ms: number }
  | { op: 'mind'; id: number; pid: number; mark: string }
  | { op: 'freeze'; id: number; commands: number[] }
  | { op: 'thaw'; id: number }

/** Events of the helper, the first of which is `ready`. `left`: a process of the command still lives after it exited. */
export type SpawnerEvent =
  | { event: 'ready' }
  | { event: 'pipes'; paths: string[]; error: string | undefined }
  | { event: 'spawned'; id: number; pid: number }
  | { event: 'failed'; id: number; code: string; message: string }
  | { event: 'exited'; id: number; code: number | null; signal: string | null; left: boolean }
  | { event: 'minded'; id: number; left: Orphan[] }
  | { event: 'swept'; id: number; left: Orphan[] }
  | { event: 'frozen'; id: number }

/** A process left by a command, and the name of its program if it could be determined. */
export interface Orphan {
  pid: number
  name: string
}
