// A server that runs as a process of ours.
import { setTimeout } from 'node:timers/promises'
import type { Resident } from '../processes/long-lived-process.ts'
import { KILL_GRACE_MS } from '../processes/spawner/child-handle.ts'
import type { Ending, Link } from './connection.ts'
import { tameText } from './sanitize.ts'
import { StdioTransport } from './stdio-transport.ts'

const PRINTED_CHARACTERS = 4_000
const LAST_WORDS_CHARACTERS = 300
/** How long it may take to end once nothing more is said to it. */
const LEAVE_MS = 500

export class ProcessLink implements Link {
  readonly transport: StdioTransport
  readonly ended: Promise<Ending>
  readonly pid: number
  readonly #started: Resident
  #printed = ''
  #why: string | undefined
  #stopped = false

  constructor(started: Resident, max_bytes: number) {
    const { spawned } = started
    this.#started = started
    this.pid = spawned.pid
    this.transport = new StdioTransport(spawned, {
      max_bytes,
      stray: line => this.#print(`${line}\n`),
      broken: why => void (this.#stopped || this.kill(why))
    })
    spawned.stderr.setEncoding('utf8').on('data', text => this.#print(String(text)))
    this.ended = this.#end()
  }

  printed(): string {
    return tameText(this.#printed.trim(), PRINTED_CHARACTERS)
  }

  kill(why: string) {
    this.#why ??= why
    this.#started.spawned.kill(0)
  }

  async stop(why: string) {
    this.#why ??= why
    this.#stopped = true
    const { spawned } = this.#started
    spawned.stdin?.end()
    await Promise.race([this.ended, setTimeout(LEAVE_MS, undefined, { ref: false })])
    spawned.kill(KILL_GRACE_MS)
    await this.ended
  }

  #print(text: string) {
    this.#printed = (this.#printed + text).slice(-PRINTED_CHARACTERS)
  }

  async #end(): Promise<Ending> {
    const { exit_code, signal, out_of_memory } = await this.#started.ended
    if (out_of_memory) this.#why ??= 'it took more memory than it may'
    await this.transport.close()
    // It may have gone just before we would have ended it, for a reason of its own.
    const why = exit_code !== null && !this.#stopped && !out_of_memory ? undefined : this.#why
    return { why: why ?? this.#byItself(exit_code, signal), stopped: this.#stopped }
  }

  #byItself(code: number | null, signal: string | null): string {
    const how = signal ? `it was ended by ${signal}` : `it ended by itself with code ${code}`
    const words = this.printed().split('\n').at(-1)!.trim()
    return words ? `${how}; its last words: ${tameText(words, LAST_WORDS_CHARACTERS)}` : how
  }
}
