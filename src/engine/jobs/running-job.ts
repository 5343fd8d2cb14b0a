// One job from its start to its end: its output is told as progress of the call that started it, its end with an event.
import { describeError } from '../../errors.ts'
import type { NewEvent } from '../../events/events.ts'
import type { CommandEnd } from '../../host/processes/command/command.ts'
import type { Job, JobCommand } from '../../tool/background-tasks.ts'
import { leftBehindBy } from '../../tool/quarantine-report.ts'
import { ProgressTeller } from '../progress-throttle.ts'

/** Why a job is being ended by somebody, and what that makes of it. */
export interface Stopping {
  status: 'stopped' | 'interrupted'
  reason: string
}

/** Where a job tells what becomes of it. */
interface Telling {
  /** How much it has printed so far, in bytes. */
  printed(): number
  /** How much it has printed, once it has ended. */
  size(): Promise<number>
  progress(events: Extract<NewEvent, { type: 'tool.progress' }>[]): void
  /** Resolves when the end is durable. */
  ended(job: Job, event: NewEvent): Promise<void>
}

export class RunningJob {
  readonly command: JobCommand
  /** Resolves once it has ended and that is durable, or cannot become so. Never rejects. */
  readonly over: Promise<void>
  /** Set while somebody ends it. */
  stopping: Stopping | undefined
  readonly #telling: Telling
  #job: Job

  constructor(job: Job, command: JobCommand, telling: Telling) {
    this.#job = job
    this.command = command
    this.#telling = telling
    this.over = this.#follow().catch(() => {})
  }

  get job(): Job {
    return this.#job.status === 'running' ? { ...this.#job, output_bytes: this.#telling.printed() } : this.#job
  }

  /** Sets what has changed of it while it runs. */
  note(change: Pick<Job, 'pty'>) {
    this.#job = { ...this.#job, ...change }
  }

  async #follow() {
    const whose = aboutJob(this.#job)
    const teller = new ProgressTeller(told =>
      this.#telling.progress(told.map(each => ({ type: 'tool.progress', ...whose, ...each })))
    )
    for await (const delta of this.command.deltas()) teller.add({ delta })
    teller.flush()
    const end = await this.command.ended.then(asEnd, asLost)
    const how = this.stopping && end.status === 'exited' ? { ...end, ...this.stopping } : end
    const output_bytes = await this.#telling.size()
    this.#job = { ...this.#job, ...how, ended_at: new Date().toISOString(), output_bytes }
    await this.#telling.ended(this.#job, jobExited(this.#job))
  }
}

function asEnd(end: CommandEnd) {
  const { exit_code, signal, timed_out, out_of_memory, duration_ms, survivors } = end
  return {
    ...(timed_out ? { status: 'stopped' as const, reason: 'Its time limit passed.' } : { status: 'exited' as const }),
    exit_code,
    signal,
    duration_ms,
    survivors,
    ...leftBehindBy(end),
    ...(out_of_memory && { reason: 'It took more memory than it may (`sandbox.memory_bytes`).' })
  }
}

const asLost = (error: unknown) => ({ status: 'lost' as const, reason: describeError(error).message })

/** Whose event it is. */
const aboutJob = ({ session_id, workspace, task_id }: Job) => ({ session_id, workspace, tool_call_id: task_id })

export const jobStarted = (job: Job): NewEvent => {
  const { task_id, command, cwd, description, isolation, interactive, pty } = job
  const more = { ...(description !== undefined && { description }), ...(pty && { pty }) }
  return { type: 'job.started', ...aboutJob(job), task_id, command, cwd, isolation, interactive, ...more }
}

export function jobExited(job: Job): NewEvent {
  const { task_id, exit_code, signal, duration_ms, survivors, reason } = job
  const status = job.status as Exclude<Job['status'], 'running'>
  return {
    type: 'job.exited',
    ...aboutJob(job),
    task_id,
    status,
    ...(exit_code !== undefined && { exit_code }),
    ...(signal !== undefined && { signal }),
    ...(duration_ms !== undefined && { duration_ms }),
    ...(survivors && { survivors }),
    ...leftBehindBy(job),
    ...(reason !== undefined && { reason })
  }
}
