// Background jobs: processes that outlive their call. They are tracked to their end, recorded in the journal, and end with the
// server at the latest.
import { ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { StopSignal } from '../../host/processes/command/command.ts'
import type { AllowUndefined } from '../../protocol/allow-undefined.ts'
import type { Call } from '../../protocol/calls.ts'
import type { Job, JobInput, JobPort, JobQuery } from '../../protocol/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import { redactCredentials } from '../../text/secrets/credentials.ts'
import type { JobCommand, JobDescription } from '../../tool/background-tasks.ts'
import type { CapturedOutputs } from '../output/captured-outputs.ts'
import { ProgressLog } from '../output/progress-log.ts'
import { waitForEnd } from '../wait-for-end.ts'
import { type ForwardedPort, ForwardedPorts } from './forwarded-ports.ts'
import { jobExitedEvent, jobStartedEvent, RunningJob, type StopReason } from './running-job.ts'

/** Milliseconds that an answer waits for a stopped job to end. */
const STOP_TIMEOUT_MS = 3_000
/** Milliseconds that a shutdown waits for its jobs. */
const CLOSE_TIMEOUT_MS = 5_000

export class Jobs {
  readonly #journal: Journal
  readonly #store: Store
  readonly #outputs: CapturedOutputs
  readonly #limits: { max_jobs: number; keep_jobs: number }
  readonly #serverPort: () => number | undefined
  /** The ports of running jobs that are reachable through the server. */
  readonly ports = new ForwardedPorts()
  /** By the id of the call. */
  readonly #running = new Map<string, RunningJob>()
  /** The tokens in whose shares running jobs count, by the id of the call. */
  readonly #shares = new Map<string, string>()
  /** Number of admitted jobs, durable or not. */
  #activeCount = 0
  #closed = false

  constructor(
    journal: Journal,
    store: Store,
    outputs: CapturedOutputs,
    limits: { max_jobs: number; keep_jobs: number },
    serverPort: () => number | undefined
  ) {
    this.#journal = journal
    this.#store = store
    this.#outputs = outputs
    this.#limits = limits
    this.#serverPort = serverPort
  }

  /** Records jobs of the previous run as interrupted, since they ended with it. Resolves when that is durable. */
  async recover(): Promise<void> {
    const left = this.#listStored().filter(({ status }) => status === 'running')
    const ended = await Promise.all(
      left.map(
        async (job): Promise<Job> => ({
          ...job,
          status: 'interrupted',
          reason: 'The server ended while the command was running. The command is not restarted.',
          ended_at: new Date().toISOString(),
          output_bytes: await this.#outputs.size(job.task_id)
        })
      )
    )
    if (ended.length > 0)
      await this.#journal.append(ended.map(jobExitedEvent), () => ended.flatMap(job => this.#endWrites(job)))
  }

  /** Throws OVERLOADED if the maximum number of jobs runs. */
  assertCapacity() {
    if (this.#closed) throw new ToolError('OVERLOADED', 'The server is stopping.')
    const { max_jobs } = this.#limits
    if (this.#activeCount >= max_jobs)
      throw new ToolError(
        'OVERLOADED',
        `${this.#activeCount} background commands are already running, which is the maximum. Stop one of them.`,
        {
          max_jobs
        }
      )
  }

  /** Returns the number of running jobs in the share of a token. */
  countRunning(share: string | undefined): number {
    return [...this.#shares.values()].filter(each => each === share).length
  }

  /** Adopts a command of a running call, and reports its output and end from now on. It counts in the share of a token. */
  async adopt(
    call: Call,
    command: JobCommand,
    { ports = [], ...facts }: JobDescription,
    share?: string
  ): Promise<RunningJob> {
    this.assertCapacity()
    const { tool_call_id: task_id, tool, session_id, workspace, client } = call
    const forwarded = this.ports.add(task_id, ports, port => command.connectPort(port))
    const job: Job = {
      task_id,
      tool,
      session_id,
      workspace,
      client,
      ...redactCredentials(facts),
      isolation: command.isolation,
      ...(forwarded.length > 0 && { ports: forwarded.map(each => this.#toJobPort(each)) }),
      status: 'running',
      started_at: ('started_at' in call && call.started_at) || new Date().toISOString(),
      output_bytes: 0
    }
    this.#activeCount += 1
    if (share !== undefined) this.#shares.set(task_id, share)
    const durable = this.#journal.append([jobStartedEvent(job)], () => [toJobWrite(job)])
    await durable.catch(error => {
      this.#activeCount -= 1
      this.#shares.delete(task_id)
      this.ports.remove(forwarded)
      throw error
    })
    command.detach()
    const progress = new ProgressLog(this.#journal, task_id)
    const running = new RunningJob(job, command, {
      printedBytes: () => this.#outputs.printed(task_id),
      finalSize: () => this.#outputs.size(task_id),
      onProgress: events => progress.append(events),
      onEnded: async (ended, event) => {
        await this.#journal.append([event], () => this.#endWrites(ended))
        this.#activeCount -= 1
        this.#shares.delete(task_id)
        this.ports.remove(forwarded)
        this.#running.delete(task_id)
      }
    })
    this.#running.set(task_id, running)
    return running
  }

  /** Lists jobs, newest first. */
  list({ status, session_id, workspace }: AllowUndefined<JobQuery> = {}): Job[] {
    return this.#listStored()
      .flatMap(job => this.#toPublished(job) ?? [])
      .filter(
        job =>
          (status === undefined || job.status === status) &&
          (session_id === undefined || job.session_id === session_id) &&
          (workspace === undefined || job.workspace === workspace)
      )
  }

  /** Lists running jobs, oldest first. */
  running(): Job[] {
    return [...this.#running.values()].map(({ job }) => job)
  }

  get(task_id: string): Job | undefined {
    const row = this.#store.task(task_id)
    return row?.job ? this.#toPublished(JSON.parse(row.job) as Job) : undefined
  }

  /** Resolves once the job has ended and that is durable; immediately if it is not running. */
  whenEnded(task_id: string): Promise<void> {
    return this.#running.get(task_id)?.whenEnded ?? Promise.resolve()
  }

  /**
   * Stops a running job. An explicit signal is sent without escalation, and the job may ignore it. Resolves once the job has
   * ended, or after a timeout.
   */
  async stop(task_id: string, reason: string, signal?: StopSignal): Promise<void> {
    const running = this.#running.get(task_id)
    if (!running) return
    const stopping: StopReason = { status: 'stopped', reason }
    running.stopReason = stopping
    if (signal) running.command.kill(signal)
    else running.command.stop()
    if (await waitForEnd(running.whenEnded, STOP_TIMEOUT_MS)) return
    // The job survived the signal: a later end has another reason.
    if (signal && running.stopReason === stopping) running.stopReason = undefined
  }

  /** Writes to a job's input, closes it, or resizes its terminal. */
  async sendInput(task_id: string, { text, end, resize }: AllowUndefined<JobInput>): Promise<void> {
    const running = this.#running.get(task_id)
    if (running?.hasCommandEnded) await running.whenEnded
    if (!running || running.hasCommandEnded)
      throw new ToolError('CONFLICT', 'The command has ended and no longer reads input.', { task_id })
    const { job, command } = running
    if ((text !== undefined || end) && !job.interactive)
      throw new ToolError(
        'CONFLICT',
        'The command accepts no input. To send input, start it with shell_background and `interactive` or `pty`.',
        { task_id }
      )
    if (resize && !job.pty)
      throw new ToolError(
        'CONFLICT',
        'The command has no terminal. To give it a terminal, start it with shell_background and `pty`.',
        {
          task_id
        }
      )
    if (resize) {
      command.resize(resize)
      running.update({ pty: resize })
    }
    if (text !== undefined && text !== '') await command.write(text)
    if (end) command.endInput()
  }

  /** Stops all jobs with the server. */
  async close(): Promise<void> {
    this.#closed = true
    const left = [...this.#running.values()]
    const stopping: StopReason = { status: 'interrupted', reason: 'The server stopped while the command was running.' }
    for (const running of left) {
      running.stopReason = stopping
      running.command.stop()
    }
    await waitForEnd(Promise.all(left.map(({ whenEnded }) => whenEnded)), CLOSE_TIMEOUT_MS)
  }

  #toJobPort({ port, host }: ForwardedPort): JobPort {
    const serverPort = this.#serverPort()
    return { port, url: serverPort === undefined ? `http://${host}/` : `http://${host}:${serverPort}/` }
  }

  /**
   * Returns a stored job as all views show it. Its start and its end are stored a moment before they are published: until then it
   * is not shown, or still runs.
   */
  #toPublished(stored: Job): Job | undefined {
    const running = this.#running.get(stored.task_id)
    if (running) return running.job
    return stored.status === 'running' ? undefined : stored
  }

  #listStored(): Job[] {
    return this.#store.tasks().flatMap(({ job }) => (job === null ? [] : [JSON.parse(job) as Job]))
  }

  /** Progress events need not be retained after the end, since the full output is stored. */
  #endWrites(job: Job): StoreWrite[] {
    return [toJobWrite(job), ['forgetProgress', job.task_id], ['forgetTasks', 'job', 'job', this.#limits.keep_jobs]]
  }
}

const toJobWrite = (job: Job): StoreWrite => [
  'job',
  job.task_id,
  job.workspace,
  job.status === 'running' ? 1 : 0,
  JSON.stringify(job)
]
