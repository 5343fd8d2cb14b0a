// Registers this browser for web push, or removes it. The service worker of the console shows the messages.
import { client } from '../session/session.ts'

/** Only addresses that are secure have service workers, and not every browser has push services. */
export const canPush = (): boolean =>
  isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** Returns the id of this browser's subscription, as the server knows it; undefined without one. */
export async function findOwnSubscription(): Promise<string | undefined> {
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  return subscription ? toId(subscription.endpoint) : undefined
}

/** Asks the person for permission, and registers this browser. */
export async function subscribe(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser does not permit notifications of this page. Allow them in its settings.')
  const { pushManager } = await navigator.serviceWorker.ready
  const previous = await pushManager.getSubscription()
  // It may be for the keys of an earlier server at this address.
  await previous?.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  await client().subscribeToPush({ endpoint: endpoint!, keys: { p256dh, auth } })
}

/** Removes a browser; the subscription of this one ends. */
export async function unsubscribe(subscription_id: string): Promise<void> {
  if (canPush() && (await findOwnSubscription()) === subscription_id) {
    const registration = await navigator.serviceWorker.getRegistration()
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
  }
  await client().unsubscribeFromPush(subscription_id)
}

/** Computes the id as the server does: the beginning of the digest of the endpoint, in base64url. */
async function toId(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .slice(0, 22)
}
