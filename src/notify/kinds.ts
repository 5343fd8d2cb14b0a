// Table of the kinds of channels. Each is loaded when it is first used.
import type { ChannelKind, ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices, OpenChannel } from './channel.ts'

const KINDS: { readonly [K in ChannelKind]: () => Promise<OpenChannel<K>> } = {
  webhook: async () => (await import('./webhook.ts')).openWebhook,
  ntfy: async () => (await import('./ntfy.ts')).openNtfy,
  slack: async () => (await import('./slack.ts')).openSlack,
  telegram: async () => (await import('./telegram.ts')).openTelegram,
  email: async () => (await import('./email.ts')).openEmail,
  desktop: async () => (await import('./desktop.ts')).openDesktop,
  'web-push': async () => (await import('./web-push.ts')).openWebPush
}

/** Opens a channel of any kind. */
export async function openChannel<K extends ChannelKind>(
  settings: ChannelSettings<K> & { kind: K },
  services: ChannelServices
): Promise<Channel> {
  const open = await KINDS[settings.kind]()
  return open(settings, services)
}
