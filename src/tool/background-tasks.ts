// Background tasks, as available to tools: work that continues after the response.
import type { Command, StopSignal } from '../host/processes/command/command.ts'
import type { AllowUndefined } from '../protocol/allow-undefined.ts'
import type { BackgroundTask, Job, JobInput } from '../protocol/jobs.ts'
import type { OutputPage, OutputQuery } from '../protocol/output.ts'

/** The part of a running command that a job needs. */
export type JobCommand = Pick<
  Command,
  'isolation' | 'ended' | 'connectPort' | 'deltas' | 'write' | 'endInput' | 'resize' | 'kill' | 'stop' | 'detach'
>

/** Metadata of a job from the tool that starts it. */
export interface JobDescription extends Pick<Job, 'command' | 'cwd' | 'description' | 'interactive' | 'pty'> {
  /** Ports to make reachable. */
  ports?: readonly number[]
}

/** A range of a task's output, in bytes of its stream. */
export interface OutputPageQuery extends Required<OutputQuery> {
  signal?: AbortSignal
}

/** The tasks of the workspace, as available to tools. Unknown ids throw NOT_FOUND. */
export interface BackgroundTasks {
  /** Aborts when the call should continue without its waiters; see the trait `detachable`. */
  detachSignal: AbortSignal
  /** Throws OVERLOADED if the maximum number of jobs runs. */
  assertCapacity(): void
  /**
   * Adopts a command of this call, under the call's id: it then outlives the call, and its output is published. The caller must
   * no longer read `deltas`. Resolves once that is durable. Rejects with OVERLOADED if the maximum number of jobs runs; the
   * command then still belongs to the call. Its timeout does not change.
   */
  adopt(command: JobCommand, facts: JobDescription): Promise<Job>
  /** Lists tasks, newest first. */
  list(): Promise<BackgroundTask[]>
  get(task_id: string): BackgroundTask
  /** Resolves at the task's end, or after `ms` milliseconds. */
  wait(task_id: string, options: { ms: number; signal?: AbortSignal }): Promise<BackgroundTask>
  /** Reads output; waits for more if there is none yet. */
  output(task_id: string, query: OutputPageQuery): Promise<OutputPage>
  /** Returns the result of a background call; undefined if it has not ended, or for a job. */
  result(task_id: string): Promise<{ title: string; content: string; data: unknown } | undefined>
  /** Sends the signal; without one, terminates the task, by force if necessary. Resolves once it has ended or after a timeout. */
  stop(task_id: string, signal?: StopSignal): Promise<BackgroundTask>
  /** Sends input. Throws CONFLICT if the task accepts none. */
  input(task_id: string, input: AllowUndefined<JobInput>): Promise<void>
}
