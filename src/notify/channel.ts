// Contract of the kinds of channels: each is one file that opens channels from settings, listed in one table.
import type { ChannelKind, ChannelSettings } from '../config/notifications.ts'
import type { Environment } from '../host/processes/environment.ts'
import type { Notification } from '../protocol/notifications.ts'
import type { CreatedLink, LinkReader } from './decision-links.ts'
import type { PushSubscriptions } from './push-subscriptions.ts'
import type { ReadSecret } from './read-secret.ts'
import type { VapidKeys } from './vapid-keys.ts'

/** One attempt to deliver a message. */
export interface Delivery {
  /** Id of the notification, which is the same in each attempt, also after a restart. */
  id: string
  signal: AbortSignal
  /** Creates a link by which the person of a registered browser can decide; undefined in test messages. */
  createLink?: (reader: Pick<LinkReader, 'person' | 'subscription_id'>) => CreatedLink | undefined
}

export interface Channel {
  /** Resolves once the service has accepted the message. Throws a DeliveryError otherwise. */
  send(message: Notification, delivery: Delivery): Promise<void>
}

/** Services of the server that channels use. */
export interface ChannelServices {
  /** Like `fetch`, by the proxy of the machine. */
  fetch: typeof fetch
  /** Returns a secret of the channel. Throws a DeliveryError if a required one is missing. */
  readSecret: ReadSecret
  environment: Environment
  /** Browsers that are registered for web push, and the keys of this server for it. */
  push: { subscriptions: Pick<PushSubscriptions, 'all' | 'remove'>; keys(): Promise<VapidKeys> }
  /** Rings the bell of the terminal; undefined without a terminal. */
  ringBell: (() => void) | undefined
}

/** Opens a channel for one delivery, with its current secrets. Throws a DeliveryError if the settings are not sufficient. */
export type OpenChannel<K extends ChannelKind> = (
  settings: ChannelSettings<K>,
  services: ChannelServices
) => Channel | Promise<Channel>
