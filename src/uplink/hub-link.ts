// Everything that connects a server to its hub: the journal on its way there; decisions and rules on their way here.
import type { Journal } from '../events/journal.ts'
import { Backoff } from './backoff.ts'
import { type DecisionTarget, HubDecisions } from './hub-decisions.ts'
import { findRulesKey, type HubSettings, openHub } from './open-hub.ts'
import { RuleFile } from './rule-file.ts'
import { RuleReceiver, type RuleTarget } from './rule-receiver.ts'
import { Uplink } from './uplink.ts'
import { WaitingReport, type WaitingSource } from './waiting-report.ts'

/** A hub that does not answer for so long is away: its people cannot decide. */
const OUTAGE_AFTER_MS = 30_000

interface HubLinkOptions {
  settings: HubSettings
  state_dir: string
  fetch: typeof fetch
  journal: Pick<Journal, 'id' | 'head' | 'oldest' | 'since' | 'listen'>
  log: ConstructorParameters<typeof Uplink>[0]['log']
  /** Milliseconds after which a hub that does not answer is away; default 30,000. */
  outageAfterMs?: number | undefined
}

export class HubLink {
  readonly #options: HubLinkOptions
  readonly #hub: ReturnType<typeof openHub>
  readonly #uplink: Uplink | undefined
  readonly #closing = new AbortController()
  #rules: RuleReceiver | undefined
  #following: Promise<void> | undefined

  /** Throws if a hub is configured, and there is no token for it. */
  constructor(options: HubLinkOptions) {
    this.#options = options
    const { journal, log } = options
    this.#hub = openHub(options)
    this.#uplink = this.#hub && new Uplink({ hub: this.#hub, journal, log })
  }

  /** Puts the stored rules of the hub in force. */
  async loadRules(target: RuleTarget) {
    const { settings, state_dir, log } = this.#options
    this.#rules = await RuleReceiver.open({
      hub: this.#hub && { url: this.#hub.url, key: findRulesKey(settings, state_dir) },
      file: new RuleFile(state_dir),
      target,
      log
    })
  }

  /** Connects to the hub, if there is one. */
  start(calls: DecisionTarget & WaitingSource) {
    const { journal } = this.#options
    if (this.#hub) this.#uplink?.start(new WaitingReport({ hub: this.#hub, journal, calls }))
    this.#following ??= this.#follow(calls)
  }

  /** Returns the state of the connection; undefined without a hub. */
  get state() {
    return this.#uplink && { ...this.#uplink.state, rules: this.#rules?.state ?? {} }
  }

  /** Returns the reason for which people at the hub cannot decide; undefined if they can. */
  outage(): string | undefined {
    if (!this.#uplink) return 'this server is not enrolled at a hub'
    const { awayMs, state } = this.#uplink
    const { outageAfterMs = OUTAGE_AFTER_MS } = this.#options
    return awayMs < outageAfterMs ? undefined : `the hub ${state.hub} cannot be reached (${state.reason})`
  }

  /** Checks if the hub, if there is one, has all events below a number. */
  hasSentBelow(seq: number): boolean {
    return this.#uplink?.hasSentBelow(seq) ?? true
  }

  /** Takes no more decisions and rules. */
  async stopFollowing() {
    this.#closing.abort()
    await this.#following
  }

  async close() {
    await this.#uplink?.close()
  }

  /** Follows the messages of the hub, and connects again when the stream ends. */
  async #follow(calls: DecisionTarget) {
    const hub = this.#hub
    if (!hub) return
    const { journal, log } = this.#options
    const { signal } = this.#closing
    const decisions = new HubDecisions({ hub, journalId: journal.id, calls, log })
    const backoff = new Backoff()
    while (!signal.aborted) {
      try {
        for await (const message of hub.followMessages(signal)) {
          backoff.reset()
          if ('decision' in message) await decisions.apply(message.decision, signal)
          else await this.#rules?.receive(message.rules, hub, signal)
        }
      } catch {
        // The uplink reports that the hub is away.
      }
      await backoff.wait(signal)
    }
  }
}
