// Browsers that receive web push: their subscriptions, in the store.
import { hash } from 'node:crypto'
import { ToolError } from '../errors.ts'
import type { NewPushSubscription, PushSubscriptionInfo } from '../protocol/notifications.ts'
import type { Store } from '../store/store.ts'

const STATE_KIND = 'push_subscription'
const MAX_SUBSCRIPTIONS = 32
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/

interface StoredSubscription extends PushSubscriptionInfo, NewPushSubscription {
  /** The issued token that it was made with, if any. */
  token_id?: string
}

/** The maker of a subscription. */
interface Subscriber {
  client: string
  token_id: string | undefined
}

export class PushSubscriptions {
  readonly #store: Pick<Store, 'state' | 'write'>
  readonly #subscriptions: Map<string, StoredSubscription>

  constructor(store: Pick<Store, 'state' | 'write'>) {
    this.#store = store
    this.#subscriptions = new Map([...store.state(STATE_KIND)].map(([id, value]) => [id, JSON.parse(value)]))
  }

  /** Returns the subscriptions without the addresses and keys, oldest first. */
  list(): PushSubscriptionInfo[] {
    return this.all()
      .map(({ subscription_id, created_at, client }) => ({ subscription_id, created_at, client }))
      .sort((one, other) => one.created_at.localeCompare(other.created_at))
  }

  has(subscription_id: string): boolean {
    return this.#subscriptions.has(subscription_id)
  }

  all(): StoredSubscription[] {
    return [...this.#subscriptions.values()]
  }

  /** Adds a subscription, or replaces that of the same browser. Resolves once it is durable. */
  async add(given: NewPushSubscription, { client, token_id }: Subscriber): Promise<PushSubscriptionInfo> {
    assertSafeEndpoint(given.endpoint)
    const subscription_id = hash('sha256', given.endpoint, 'base64url').slice(0, 22)
    if (!this.#subscriptions.has(subscription_id) && this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new ToolError(
        'CONFLICT',
        `${MAX_SUBSCRIPTIONS} browsers are registered, which is the maximum. Remove some.`
      )
    const info = { subscription_id, created_at: new Date().toISOString(), client }
    const { endpoint, keys } = given
    const stored = { ...info, endpoint, keys, ...(token_id !== undefined && { token_id }) }
    this.#subscriptions.set(subscription_id, stored)
    await this.#store.write(() => [['setState', STATE_KIND, subscription_id, JSON.stringify(stored)]])
    return info
  }

  /** Removes a subscription. Throws NOT_FOUND if there is none with this id. */
  async remove(subscription_id: string): Promise<void> {
    if (!this.#subscriptions.delete(subscription_id))
      throw new ToolError('NOT_FOUND', 'There is no push subscription with this id. It may have been removed.')
    await this.#store.write(() => [['forgetState', STATE_KIND, subscription_id]])
  }

  /** Removes the subscriptions that were made with these tokens. */
  async removeOf(tokens: readonly string[]): Promise<void> {
    const own = this.all().filter(({ token_id }) => token_id !== undefined && tokens.includes(token_id))
    await Promise.all(own.map(({ subscription_id }) => this.remove(subscription_id)))
  }
}

/** The address comes from a request, not from the configuration: messages leave the machine only over TLS. */
function assertSafeEndpoint(endpoint: string) {
  const url = URL.parse(endpoint)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))) return
  throw new ToolError('INVALID_PARAMS', 'The endpoint of a push subscription must be an https URL.', {
    errors: [{ pointer: '/endpoint', message: 'must be an https URL' }]
  })
}
