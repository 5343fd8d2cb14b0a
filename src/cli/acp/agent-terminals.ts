// Terminals of the agent: each is a call of shell_exec, whose output is read until it ends.
import { setTimeout as pause } from 'node:timers/promises'
import type { CreateTerminalRequest, TerminalExitStatus, TerminalOutputResponse } from '@agentclientprotocol/sdk'
import type { Call } from '../../client/client.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { cancelOn, submitAgentCall, waitForCallEnd } from '../agent-calls.ts'
import { hasEnded } from '../ended-call.ts'
import { AcpError, invalidParams } from './message.ts'
import { type AcpSession, assertSuccess } from './session.ts'

const MAX_OUTPUT_BYTES = 1_048_576
/** Time in milliseconds after which a command continues as a job: before the time limit of shell_exec, which a job does not have. */
const ATTACHED_MS = 60_000
const WAIT_MS = 30_000
const RETRY_MS = 500
const MAX_TERMINALS = 100

interface Terminal {
  session: AcpSession
  call: Call
  commandLine: string
  output: Buffer
  limit: number
  truncated: boolean
  exited: Promise<TerminalExitStatus>
  exitStatus?: TerminalExitStatus
}

export class AgentTerminals {
  readonly #terminals = new Map<string, Terminal>()
  readonly #onExit: (id: string, text: string) => void
  readonly #attached_ms: number

  /** `onExit` receives the command with its output when a terminal has exited. After `attached_ms`, a command continues as a job. */
  constructor(onExit: (id: string, text: string) => void, attached_ms: number = ATTACHED_MS) {
    this.#onExit = onExit
    this.#attached_ms = attached_ms
  }

  /** Starts a command once it is allowed. Throws the reason if it is not. */
  async create(
    session: AcpSession,
    request: CreateTerminalRequest,
    signal: AbortSignal
  ): Promise<{ terminalId: string }> {
    const { command, args = [], env = [], cwd, outputByteLimit } = request
    if (this.#terminals.size >= MAX_TERMINALS)
      throw new AcpError(`There are ${MAX_TERMINALS} terminals. Release terminals that are no longer needed.`)
    // Without arguments, agents send a whole command line.
    const commandLine = args.length === 0 ? command : quoteArgv([command, ...args])
    const params = {
      command: commandLine,
      wait_ms: this.#attached_ms,
      ...(cwd && { cwd }),
      ...(env.length > 0 && { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) })
    }
    const first = await submitAgentCall(session, { tool: 'shell_exec', params }, { wait_ms: 0 })
    const call = await waitUntilAllowed(session, first, signal)
    const limit = Math.min(outputByteLimit ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES)
    const terminal: Terminal = {
      ...{ session, call, commandLine, limit, output: Buffer.alloc(0), truncated: false },
      exited: Promise.resolve({})
    }
    terminal.exited = this.#follow(terminal)
    terminal.exited.catch(() => {})
    this.#terminals.set(call.tool_call_id, terminal)
    return { terminalId: call.tool_call_id }
  }

  output(terminalId: string): TerminalOutputResponse {
    const { output, truncated, exitStatus } = this.#find(terminalId)
    return { output: output.toString(), truncated, ...(exitStatus && { exitStatus }) }
  }

  waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return this.#find(terminalId).exited
  }

  async kill(terminalId: string): Promise<object> {
    const { session, call, exitStatus } = this.#find(terminalId)
    if (!exitStatus) await session.calls.cancel(call.tool_call_id, { reason: 'The agent ended it.' })
    return {}
  }

  async release(terminalId: string): Promise<object> {
    await this.kill(terminalId)
    this.#terminals.delete(terminalId)
    return {}
  }

  /** Returns the command line of a terminal; undefined if there is no such terminal. */
  commandLine(terminalId: string): string | undefined {
    return this.#terminals.get(terminalId)?.commandLine
  }

  /** Ends all commands. */
  async close(): Promise<void> {
    await Promise.all([...this.#terminals.keys()].map(id => this.kill(id).catch(() => {})))
  }

  #find(terminalId: string): Terminal {
    const found = this.#terminals.get(terminalId)
    if (!found) throw invalidParams(`There is no terminal ${terminalId}.`)
    return found
  }

  /** Reads the output until the command has ended. */
  async #follow(terminal: Terminal): Promise<TerminalExitStatus> {
    const { session, call } = terminal
    const { tool_call_id } = call
    for (let offset = 0; ; ) {
      const page = await session.calls.output(tool_call_id, { offset, wait_ms: WAIT_MS })
      append(terminal, page.text)
      offset = page.next_offset
      if (page.ended) break
    }
    terminal.exitStatus = await findExit(session, tool_call_id)
    this.#onExit(tool_call_id, `$ ${terminal.commandLine}\n${terminal.output.toString()}`)
    return terminal.exitStatus
  }
}

/** Waits until a call is allowed. Throws if it is refused. */
async function waitUntilAllowed(session: AcpSession, first: Call, signal: AbortSignal): Promise<Call> {
  if (isAllowed(first)) return first
  const decided = new AbortController()
  const types = ['tool.call', 'tool.decision', 'tool.result'] as const
  const cancel = cancelOn(signal, session.calls, first.tool_call_id)
  try {
    const following = { types, tool_call_id: first.tool_call_id, signal: AbortSignal.any([signal, decided.signal]) }
    for await (const _ of session.calls.events(following)) {
      const call = await session.calls.get(first.tool_call_id)
      if (isAllowed(call)) return call
      if (hasEnded(call)) return assertSuccess(call)
    }
    throw new AcpError('The request was cancelled.')
  } finally {
    signal.removeEventListener('abort', cancel)
    decided.abort()
  }
}

const isAllowed = (call: Call) =>
  (call.status === 'queued' && call.approved_by !== undefined) || call.status === 'running' || call.status === 'success'

/** Keeps the end of the output, from the start of a character. */
function append(terminal: Terminal, text: string): void {
  const all = Buffer.concat([terminal.output, Buffer.from(text)])
  let from = Math.max(0, all.length - terminal.limit)
  if (from > 0) terminal.truncated = true
  while (from < all.length && (all[from]! & 0xc0) === 0x80) from += 1
  terminal.output = all.subarray(from)
}

async function findExit({ calls }: AcpSession, id: string): Promise<TerminalExitStatus> {
  const call = await waitForCallEnd(calls, await calls.get(id))
  if (call.status !== 'success') return { exitCode: null, signal: 'SIGKILL' }
  const { exit_code, signal, task_id } = call.result.data as ExitData
  if (task_id === undefined) return { exitCode: exit_code, signal }
  // The output of a job ends a moment before the job.
  for (;;) {
    const { status, exit_code = null, signal = null } = await calls.job(task_id)
    if (status !== 'running') return { exitCode: exit_code, signal }
    await pause(RETRY_MS)
  }
}

interface ExitData {
  exit_code: number | null
  signal: string | null
  task_id?: string
}
