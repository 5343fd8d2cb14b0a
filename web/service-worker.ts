// The service worker of the console. It keeps the files of the page for the time without a connection, and nothing else: no data of the
// server, and no request with a token. It shows notifications that the server sends by web push.

/** The events of a service worker, which the types of pages lack. */
interface LifeCycleEvent {
  waitUntil(work: Promise<unknown>): void
}
interface FetchEvent extends LifeCycleEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}
interface PushEvent extends LifeCycleEvent {
  data: { json(): unknown } | null
}
interface NotificationEvent extends LifeCycleEvent {
  notification: { close(): void; data: unknown }
}
interface WindowClient {
  navigate(url: string): Promise<WindowClient | null>
  focus(): Promise<WindowClient>
}
interface ServiceWorker {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window' }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void
  addEventListener(type: 'activate', listener: (event: LifeCycleEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

const CACHE = 'toolgate-console'
/** The script that names all others: if it changes, the kept files are of another version. */
const APP = '/web/app.js'
const worker = globalThis as unknown as ServiceWorker

worker.addEventListener('activate', event => event.waitUntil(caches.delete(CACHE)))

worker.addEventListener('fetch', event => {
  const { request } = event
  const { pathname, origin } = new URL(request.url)
  const isOfPage = pathname === '/' || pathname.startsWith('/web/')
  if (request.method === 'GET' && origin === location.origin && isOfPage) event.respondWith(load(event, pathname))
})

worker.addEventListener('push', event => event.waitUntil(show(event.data?.json() as PushMessage)))

worker.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(openConsole(String(event.notification.data)))
})

/** A message of the server. */
interface PushMessage {
  /** The same in each attempt: a repeated message replaces the notification. */
  id: string
  title: string
  body: string
  tool_call_id?: string
  /** Address by which the person can decide without signing in. */
  link?: string
}

async function show({ id, title, body, tool_call_id, link }: PushMessage) {
  const path = tool_call_id === undefined ? '#/approvals' : `#/approvals/${encodeURIComponent(tool_call_id)}`
  const data = new URL(link ?? path, worker.registration.scope).href
  await worker.registration.showNotification(title, { body, tag: id, data })
}

/** Shows an address in an open page of the console, or in a new one. A link is a page apart: the console stays open. */
async function openConsole(url: string) {
  // Only a page that this worker controls can be led to another address.
  const [page] = url.includes('/#decide=') ? [] : await worker.clients.matchAll({ type: 'window' })
  if (!page) return worker.clients.openWindow(url)
  // A browser may refuse to bring the page to the front.
  await page.focus().catch(() => {})
  return page.navigate(url)
}

/** Asks the server first, so that the page is never older than the server. */
async function load(event: FetchEvent, pathname: string): Promise<Response> {
  const { request } = event
  try {
    // A person may come from a page of another site, whose requests the server refuses unless they are navigations.
    const response = await fetch(request.mode === 'navigate' ? pathname : request)
    if (response.ok) event.waitUntil(keep(request, response.clone(), pathname))
    return response
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(request)
    if (kept) return kept
    throw error
  }
}

async function keep(request: Request, response: Response, pathname: string) {
  const before = pathname === APP ? await (await caches.open(CACHE)).match(request) : undefined
  if (before && before.headers.get('etag') !== response.headers.get('etag')) await caches.delete(CACHE)
  await (await caches.open(CACHE)).put(request, response)
}
