// One running job: publishes its output as progress of the call that started it, and its end as an event.
import { describeError } from '../../errors.ts'
import type { CommandEnd } from '../../host/processes/command/command.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { Job } from '../../protocol/jobs.ts'
import { toQuarantineReport } from '../../protocol/quarantine-report.ts'
import type { JobCommand } from '../../tool/background-tasks.ts'
import { ProgressThrottle } from '../output/progress-throttle.ts'

/** The reason for stopping a job, and the resulting status. */
export interface StopReason {
  status: 'stopped' | 'interrupted'
  reason: string
}

/** Receives the state changes of a job. */
interface JobObserver {
  /** Returns the bytes printed so far. */
  printedBytes(): number
  /** Returns the bytes printed in total, once it has ended. */
  finalSize(): Promise<number>
  onProgress(events: Extract<NewEvent, { type: 'tool.progress' }>[]): void
  /** Resolves when the end is durable. */
  onEnded(job: Job, event: NewEvent): Promise<void>
}

export class RunningJob {
  readonly command: JobCommand
  /** Resolves once the job has ended and that is durable, or cannot become so. Never rejects. */
  readonly whenEnded: Promise<void>
  /** Set while the job is being stopped. */
  stopReason: StopReason | undefined
  readonly #observer: JobObserver
  #job: Job
  #hasCommandEnded = false

  constructor(job: Job, command: JobCommand, observer: JobObserver) {
    this.#job = job
    this.command = command
    this.#observer = observer
    this.whenEnded = this.#follow().catch(() => {})
  }

  /** Returns the running job: its end is published by the store alone. */
  get job(): Job {
    const output_bytes = Math.max(this.#job.output_bytes, this.#observer.printedBytes())
    return { ...this.#job, output_bytes }
  }

  /** Returns true once the command has ended, although that may not be durable yet. */
  get hasCommandEnded(): boolean {
    return this.#hasCommandEnded
  }

  /** Updates the fields of a running job. */
  update(change: Pick<Job, 'pty'>) {
    this.#job = { ...this.#job, ...change }
  }

  async #follow() {
    const whose = getJobScope(this.#job)
    const teller = new ProgressThrottle(updates =>
      this.#observer.onProgress(updates.map(each => ({ type: 'tool.progress', ...whose, ...each })))
    )
    for await (const delta of this.command.deltas()) teller.add({ delta })
    teller.flush()
    const end = await this.command.ended.then(toEndFields, toLostFields)
    this.#hasCommandEnded = true
    const how = this.stopReason && end.status === 'exited' ? { ...end, ...this.stopReason } : end
    const output_bytes = await this.#observer.finalSize()
    this.#job = { ...this.#job, output_bytes }
    const ended: Job = { ...this.#job, ...how, ended_at: new Date().toISOString() }
    await this.#observer.onEnded(ended, jobExitedEvent(ended))
  }
}

function toEndFields(end: CommandEnd) {
  const { exit_code, signal, timed_out, out_of_memory, duration_ms, survivors } = end
  return {
    ...(timed_out
      ? { status: 'stopped' as const, reason: 'The command exceeded its time limit.' }
      : { status: 'exited' as const }),
    exit_code,
    signal,
    duration_ms,
    survivors,
    ...toQuarantineReport(end),
    ...(out_of_memory && { reason: 'The command exceeded its memory limit (`sandbox.memory_bytes`).' })
  }
}

const toLostFields = (error: unknown) => ({ status: 'lost' as const, reason: describeError(error).message })

/** Returns the fields that identify the source of an event. */
const getJobScope = ({ session_id, workspace, task_id }: Job) => ({ session_id, workspace, tool_call_id: task_id })

export const jobStartedEvent = (job: Job): NewEvent => {
  const { task_id, command, cwd, description, isolation, interactive, pty, ports } = job
  const more = { ...(description !== undefined && { description }), ...(pty && { pty }), ...(ports && { ports }) }
  return { type: 'job.started', ...getJobScope(job), task_id, command, cwd, isolation, interactive, ...more }
}

export function jobExitedEvent(job: Job): NewEvent {
  const { task_id, exit_code, signal, duration_ms, survivors, reason } = job
  const status = job.status as Exclude<Job['status'], 'running'>
  return {
    type: 'job.exited',
    ...getJobScope(job),
    task_id,
    status,
    ...(exit_code !== undefined && { exit_code }),
    ...(signal !== undefined && { signal }),
    ...(duration_ms !== undefined && { duration_ms }),
    ...(survivors && { survivors }),
    ...toQuarantineReport(job),
    ...(reason !== undefined && { reason })
  }
}
