// Contract of the kinds of channels: each is one file that opens channels from settings, listed in one table.
import type { ChannelKind, ChannelSettings } from '../config/notifications.ts'
import type { Environment } from '../host/processes/environment.ts'
import type { Notification } from '../protocol/notifications.ts'
import type { ButtonData, ButtonPress, PressOutcome } from './decision-buttons.ts'
import type { CreatedLink, LinkReader } from './decision-links.ts'
import type { PushSubscriptions } from './push-subscriptions.ts'
import type { ReadSecret } from './read-secret.ts'
import type { VapidKeys } from './vapid-keys.ts'

/** One attempt to deliver a message. */
export interface Delivery {
  /** Id of the notification, which is the same in each attempt, also after a restart. */
  id: string
  signal: AbortSignal
  /** Buttons by which people decide, if the message shows all of the call. */
  buttons?: ButtonData
  /** Creates a link by which the person of a registered browser can decide; undefined in test messages. */
  createLink?: (reader: Pick<LinkReader, 'person' | 'subscription_id'>) => CreatedLink | undefined
}

export interface Channel {
  /** Resolves once the service has accepted the message. Throws a DeliveryError otherwise. */
  send(message: Notification, delivery: Delivery): Promise<void>
  /** Receives presses of buttons from the service. Kinds whose service sends requests to the server lack it. */
  listen?(press: PressButton, listening: Listening): Promise<void>
  /**
   * Verifies a request of the service about a pressed button, and decides as it says. Throws UNAUTHORIZED unless the service has
   * signed the request lately.
   */
  receive?(request: ServiceRequest, receiving: { press: PressButton; signal: AbortSignal }): Promise<void>
}

/** A request of a service to the server. */
export interface ServiceRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

export interface Listening {
  /** Returns false when no call waits that was sent with buttons. */
  isNeeded(): boolean
  /** Aborts when the server stops. */
  signal: AbortSignal
}

/** Decides as a pressed button says. */
export type PressButton = (press: ButtonPress) => Promise<PressOutcome>

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
