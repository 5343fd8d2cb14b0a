// Notifies people about calls that wait for approval: from the events of the journal to the channels of the configuration.
import {
  type ChannelSettings,
  findMissingSetting,
  getButtonDeciders,
  getLinkPerson,
  hasLinks
} from '../config/notifications.ts'
import type { Config } from '../config/schema.ts'
import { messageWithCause, ToolError } from '../errors.ts'
import type { Journal } from '../events/journal.ts'
import type { SecretMasker } from '../host/secrets/secret-masker.ts'
import type {
  Notification,
  NotificationChannel,
  NotificationState,
  NotificationTestOutcome,
  PushSubscriptionInfo
} from '../protocol/notifications.ts'
import type { TokenSeal } from '../server/token-seal.ts'
import { steadyNow } from '../steady-time.ts'
import type { Store } from '../store/store.ts'
import { escapeLine } from '../text/escape-invisible.ts'
import { redactCredentials } from '../text/secrets/credentials.ts'
import { ButtonListeners } from './button-listeners.ts'
import type { ChannelServices, Delivery, ServiceRequest } from './channel.ts'
import { DecisionButtons } from './decision-buttons.ts'
import { DecisionLinks } from './decision-links.ts'
import { DeliveryError } from './delivery-error.ts'
import { DeliveryQueue } from './delivery-queue.ts'
import { DueCalls } from './due-calls.ts'
import { openChannel } from './kinds.ts'
import { buildCallMessage, buildTestMessage, cutText, isShownWhole, type NotifiedCall } from './message.ts'
import { Outbox, type OutboxRow, toNotificationId, type Wait } from './outbox.ts'
import { PushSubscriptions } from './push-subscriptions.ts'
import { findQuietEnd } from './quiet-hours.ts'
import { createSecretReader } from './read-secret.ts'
import { openVapidKeys } from './vapid-keys.ts'
import { Watchers } from './watchers.ts'

const MAX_ERROR_LENGTH = 300
/** Shorter texts would be redacted wherever they occur. */
const MIN_SECRET_LENGTH = 8
const MAX_SECRETS = 64

interface Log {
  warn(details: object, message: string): void
}

interface NotifierParts {
  settings: Config['notifications']
  store: Pick<Store, 'state' | 'write' | 'eventsOfCall'>
  journal: Pick<Journal, 'listen'>
  masking: Pick<SecretMasker, 'maskText'>
  decisions: ConstructorParameters<typeof DecisionButtons>[0]['decisions']
  /** Returns the call if it waits for approval. */
  findWaiting(tool_call_id: string): NotifiedCall | undefined
  log: Log
  services: Pick<ChannelServices, 'fetch' | 'environment' | 'ringBell'>
  state_dir: string
  seal: Pick<TokenSeal, 'sign'>
}

export class Notifier {
  readonly watchers: Watchers
  readonly subscriptions: PushSubscriptions
  readonly links: DecisionLinks
  readonly #buttons: DecisionButtons
  readonly #listeners: ButtonListeners
  readonly #parts: NotifierParts
  readonly #channels: ReadonlyMap<string, ChannelSettings>
  readonly #services: ChannelServices
  readonly #outbox: Outbox
  readonly #queues = new Map<string, DeliveryQueue>()
  readonly #due: DueCalls
  readonly #closing = new AbortController()
  readonly #secrets = new Set<string>()
  /** Number of rows that are being written. */
  #adding = 0
  #unlisten = () => {}

  constructor(parts: NotifierParts) {
    const { settings, store, log, services, state_dir } = parts
    this.#parts = parts
    this.#channels = new Map(Object.entries(settings.channels))
    this.subscriptions = new PushSubscriptions(store)
    this.links = new DecisionLinks({
      seal: parts.seal,
      settings,
      findWaiting: parts.findWaiting,
      hasSubscription: id => this.subscriptions.has(id)
    })
    const { seal, findWaiting, decisions } = parts
    this.#buttons = new DecisionButtons({ seal, findWaiting, decisions, channels: this.#channels })
    this.#listeners = new ButtonListeners({
      open: channel => openChannel(this.#channels.get(channel)!, this.#services),
      pressOf: channel => given => this.#buttons.decide(channel, given),
      warn: (channel, error) => log.warn({ channel, reason: this.#describe(error) }, 'buttons cannot be received'),
      signal: this.#closing.signal
    })
    this.#services = {
      ...services,
      push: { subscriptions: this.subscriptions, keys: () => openVapidKeys(state_dir) },
      readSecret: createSecretReader(services.environment, secret => this.#noteSecret(secret))
    }
    this.watchers = new Watchers(settings.watch_ms)
    this.#outbox = new Outbox(store)
    this.#due = new DueCalls({ afterMs: settings.after_ms, take: wait => this.#take(wait) })
    for (const channel of this.#channels.keys())
      this.#queues.set(
        channel,
        new DeliveryQueue({
          channel,
          outbox: this.#outbox,
          limits: settings,
          log,
          findQuietEnd: now => settings.quiet_hours && findQuietEnd(now, settings.quiet_hours),
          deliver: row => this.#deliver(row),
          describe: error => this.#describe(error)
        })
      )
  }

  /** Secrets of channels that were read so far. */
  get secrets(): readonly string[] {
    return [...this.#secrets]
  }

  /** Takes up the calls that wait, and what earlier runs did not deliver. */
  start(waiting: readonly NotifiedCall[]) {
    const ids = new Set(waiting.map(({ tool_call_id }) => tool_call_id))
    this.#outbox.forgetOthers(ids, new Set(this.#channels.keys())).catch(() => {})
    if (this.#channels.size === 0) return
    this.#unlisten = this.#parts.journal.listen(entries => {
      for (const { seq, event } of entries) {
        const { tool_call_id } = event
        if (tool_call_id === undefined) continue
        if (event.type === 'tool.call' && event.requires_approval)
          this.#due.add({ tool_call_id, seq, since: steadyNow() })
        else if (event.type === 'tool.decision' || event.type === 'tool.result') this.#forget(tool_call_id)
      }
    })
    const waits = [...ids].flatMap(id => this.#readWait(id) ?? [])
    for (const wait of waits.sort((one, other) => one.since - other.since))
      if (!this.#outbox.hasFallenDue(wait)) this.#due.add(wait)
      else this.#listeners.add(wait.tool_call_id)
    for (const channel of this.#channels.keys()) this.#listen(channel)
    for (const queue of this.#queues.values()) queue.run()
  }

  /** Returns the channels with their latest outcomes, and the registered browsers. */
  async state(): Promise<NotificationState> {
    const canPush = [...this.#channels.values()].some(({ kind }) => kind === 'web-push')
    return {
      channels: await this.#listChannels(),
      subscriptions: this.subscriptions.list(),
      ...(canPush && { vapid_public_key: (await this.#services.push.keys()).publicKey })
    }
  }

  /** Registers a browser. Throws CONFLICT without a channel that sends to browsers. */
  async subscribe(...given: Parameters<PushSubscriptions['add']>): Promise<PushSubscriptionInfo> {
    if ([...this.#channels.values()].some(({ kind }) => kind === 'web-push')) return this.subscriptions.add(...given)
    throw new ToolError('CONFLICT', 'No channel of the kind web-push is configured (setting: notifications.channels).')
  }

  #listChannels(): Promise<NotificationChannel[]> {
    return Promise.all(
      [...this.#channels].map(async ([name, settings]) => {
        const problem = await this.#findProblem(settings)
        return {
          name,
          kind: settings.kind,
          pending: this.#outbox.rowsOf(name).length,
          ...(problem !== undefined && { problem }),
          ...this.#outbox.outcomeOf(name)
        }
      })
    )
  }

  /** Sends a test message by one channel or by all, also in quiet hours. */
  async test(channel: string | undefined): Promise<NotificationTestOutcome[]> {
    if (channel !== undefined && !this.#channels.has(channel))
      throw new ToolError('NOT_FOUND', `There is no notification channel ${JSON.stringify(channel)}.`, {
        known: [...this.#channels.keys()]
      })
    const names = channel === undefined ? [...this.#channels.keys()] : [channel]
    return Promise.all(names.map(name => this.#testOne(name)))
  }

  /** Ends all attempts at once. What is not delivered stays in the store. */
  close() {
    this.#unlisten()
    this.#due.close()
    for (const queue of this.#queues.values()) queue.close()
    this.#closing.abort(new Error('The server is stopping.'))
  }

  #take(wait: Wait): boolean {
    const { settings, findWaiting } = this.#parts
    const call = findWaiting(wait.tool_call_id)
    if (!call) return true
    if (settings.when === 'unwatched' && this.watchers.isWatched(call)) return false
    const { size } = this.#channels
    if (this.#outbox.size + this.#adding + size > settings.max_rows) return false
    this.#adding += size
    const delays = new Map(Array.from(this.#channels, ([name, { after_ms = 0 }]) => [name, after_ms]))
    this.#outbox
      .add(wait, delays, () => findWaiting(wait.tool_call_id) !== undefined)
      .catch(() => {})
      .finally(() => {
        this.#adding -= size
        for (const queue of this.#queues.values()) queue.run()
      })
    return true
  }

  #forget(tool_call_id: string) {
    this.#due.delete(tool_call_id)
    this.#listeners.delete(tool_call_id)
    this.#outbox.forget(tool_call_id).catch(() => {})
  }

  /** Reads since when a call of an earlier run waits. */
  #readWait(tool_call_id: string): Wait | undefined {
    let found: Wait | undefined
    for (let after = 0; ; ) {
      const events = this.#parts.store.eventsOfCall(tool_call_id, after, PAGE_SIZE)
      for (const { seq, type, data } of events)
        if (type === 'tool.call') found = { tool_call_id, seq, since: Date.parse(JSON.parse(data).time) }
      const last = events.at(-1)
      if (!last) return found
      after = last.seq
    }
  }

  async #deliver(row: OutboxRow): Promise<boolean> {
    const { settings, findWaiting, masking } = this.#parts
    const call = findWaiting(row.tool_call_id)
    if (!call) return false
    const { channel } = row
    const redact = (text: string) => redactCredentials(masking.maskText(text))
    const message = buildCallMessage(call, row.since, settings, {
      redact,
      link: this.#createLink(call, channel)
    })
    const id = toNotificationId(row)
    const buttons = isShownWhole(call, message) ? this.#buttons.create(call, channel) : undefined
    await this.#send(channel, message, {
      id,
      ...(buttons && { buttons }),
      createLink: reader => this.links.create(call, { ...reader, channel })
    })
    if (findWaiting(row.tool_call_id)) this.#listeners.add(row.tool_call_id)
    this.#listen(channel)
    return true
  }

  /** Receives the presses of a channel's buttons, if it has some. */
  #listen(channel: string) {
    if (getButtonDeciders(this.#channels.get(channel)!)) void this.#listeners.run(channel)
  }

  /** Verifies a request of a service about a button, and decides as it says. Throws UNAUTHORIZED unless the service has signed it. */
  async receive(channel: string, request: ServiceRequest): Promise<void> {
    const settings = this.#channels.get(channel)
    const opened =
      settings && getButtonDeciders(settings)
        ? await openChannel(settings, this.#services).catch(() => undefined)
        : undefined
    if (!opened?.receive) throw new ToolError('UNAUTHORIZED', 'No channel of this name receives presses of buttons.')
    await opened.receive(request, {
      press: given => this.#buttons.decide(channel, given),
      signal: this.#closing.signal
    })
  }

  /** Creates the link of a message to one person. */
  #createLink(call: NotifiedCall, channel: string) {
    const person = getLinkPerson(this.#channels.get(channel)!)
    return person === undefined ? undefined : this.links.create(call, { channel, person })
  }

  async #testOne(channel: string): Promise<NotificationTestOutcome> {
    const settings = this.#channels.get(channel)!
    const { kind } = settings
    const { base_url } = this.#parts.settings
    const before = this.#outbox.outcomeOf(channel)
    const time = new Date().toISOString()
    try {
      const message = buildTestMessage(channel, { base_url, hasLinks: hasLinks(settings) })
      await this.#send(channel, message, { id: `msg_test_${crypto.randomUUID()}` })
      this.#outbox.noteOutcome(channel, { ...before, last_success: time }).catch(() => {})
      return { channel, kind, accepted: true }
    } catch (error) {
      const message = this.#describe(error)
      this.#outbox.noteOutcome(channel, { ...before, last_error: { time, message } }).catch(() => {})
      return { channel, kind, accepted: false, error: message }
    }
  }

  /** Sends a message within the time limit, also if the channel ignores the signal. */
  async #send(channel: string, message: Notification, delivery: Omit<Delivery, 'signal'>): Promise<void> {
    const { timeout_ms } = this.#parts.settings
    const timeout = AbortSignal.timeout(timeout_ms)
    const signal = AbortSignal.any([timeout, this.#closing.signal])
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = () =>
      reject(timeout.aborted ? new DeliveryError(`No answer within ${timeout_ms / 1_000} s.`) : signal.reason)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const sending = openChannel(this.#channels.get(channel)!, this.#services).then(opened =>
      opened.send(message, { ...delivery, signal })
    )
    sending.catch(() => {})
    try {
      await Promise.race([sending, ended])
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  async #findProblem(settings: ChannelSettings): Promise<string | undefined> {
    return openChannel(settings, this.#services).then(
      () => findMissingSetting(settings, this.#parts.settings),
      (error: unknown) => this.#describe(error)
    )
  }

  #describe(error: unknown): string {
    const message = error instanceof DeliveryError ? error.message : messageWithCause(error as Error)
    return cutText(escapeLine(this.#parts.masking.maskText(message)), MAX_ERROR_LENGTH)
  }

  #noteSecret(secret: string) {
    if (secret.length < MIN_SECRET_LENGTH || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    if (this.#secrets.size > MAX_SECRETS) this.#secrets.delete(this.#secrets.values().next().value!)
  }
}

const PAGE_SIZE = 256
